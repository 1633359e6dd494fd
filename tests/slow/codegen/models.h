// The graphs of these tests.
#pragma once

namespace cohort::test {

// Simultaneous updates, a named dim, halves, bool, a gather with run-time indices, an assert and a print.
inline constexpr const char* kModel = R"({
  "format": "cohort-ir", "version": "1.0", "name": "model", "dims": {"batch": {"min": 1, "max": 32}},
  "constants": {"c": {"type": "f32[6]", "data": ["nan", "-inf", "inf", -0.0, 1e-45, 3.4028234663852886e38]}},
  "state": {"x": {"type": "f64[2]", "init": [1, 2]}, "y": {"type": "f64[2]", "init": [3, 4]},
            "table": {"type": "f32[3,4]", "init": [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]},
            "count": {"type": "i32[]", "init": 0}, "cursor": {"type": "i64[3]", "init": [0, 1, 0]}},
  "functions": {
    "move": {"inputs": {"by": "i64[]"},
             "nodes": [{"name": "next", "op": "add", "inputs": ["cursor", "by"]}, {"name": "picked", "op": "take", "inputs": ["x", "next"]},
                       {"name": "x2", "op": "neg", "inputs": ["x"]}, {"name": "negated", "op": "take", "inputs": ["x2", "next"]}],
             "outputs": {"picked": "picked", "negated": "negated"}, "updates": {"cursor": "next", "x": "x2"}},
    "step": {"nodes": [{"name": "x2", "op": "mul", "inputs": ["x", 2.0]}, {"name": "xy", "op": "add", "inputs": ["x", "y"]}],
             "updates": {"x": "x2", "y": "xy"}},
    "swap": {"updates": {"x": "y", "y": "x"}},
    "affine": {"inputs": {"u": "f32[batch,4]", "m": "bool[batch]", "h": "f16[batch]"},
               "nodes": [{"name": "p", "op": "matmul", "inputs": ["u", "table"], "attrs": {"transpose_b": true}},
                         {"name": "h2", "op": "mul", "inputs": ["h", "h"]}, {"name": "n", "op": "not", "inputs": ["m"]}],
               "outputs": {"p": "p", "h": "h2", "n": "n"}},
    "look": {"inputs": {"i": "i64[batch]"},
             "nodes": [{"name": "row", "op": "take", "inputs": ["table", "i"]}, {"name": "next", "op": "add", "inputs": ["count", 1]}],
             "outputs": {"row": "row"}, "updates": {"count": "next"}},
    "special": {"outputs": {"c": "c"}},
    "guarded": {"inputs": {"v": "f64[3]"},
                "nodes": [{"name": "positive", "op": "gt", "inputs": ["v", 0.0]},
                          {"name": "w", "op": "assert", "inputs": ["v", "positive"], "attrs": {"message": "v is positive"}},
                          {"name": "shown", "op": "print", "inputs": ["w"], "attrs": {"message": "w is"}},
                          {"name": "next", "op": "add", "inputs": ["count", 1]}],
                "outputs": {"w": "shown"}, "updates": {"count": "next"}}}})";

// Loops with work for several threads: elementwise of several dtypes, reductions of rows, products, an update
// in place, steps of a batch; and one without.
inline constexpr const char* kShared = R"({
  "format": "cohort-ir", "version": "1.0", "name": "shared", "dims": {"batch": {"min": 1, "max": 4096}},
  "state": {"level": {"type": "f64[200000]", "init": 0.5}},
  "functions": {
    "wide": {"inputs": {"x": "f64[100003]", "h": "f32[100003]"},
             "nodes": [{"name": "t", "op": "tanh", "inputs": ["x"]}, {"name": "p", "op": "gt", "inputs": ["t", 0.25]},
                       {"name": "s", "op": "sigmoid", "inputs": ["h"]}, {"name": "e", "op": "exp", "inputs": ["s"]}],
             "outputs": {"y": "t", "sign": "p", "smooth": "e"}},
    "rows": {"inputs": {"m": "f64[batch,700]"},
             "nodes": [{"name": "e", "op": "exp", "inputs": ["m"]}, {"name": "r", "op": "reduce_sum", "inputs": ["e"], "attrs": {"axes": [1]}}],
             "outputs": {"r": "r"}},
    "product": {"inputs": {"a": "f64[150,160]", "b": "f64[160,170]", "p": "f32[40,33,50]", "q": "f32[40,50,37]"},
                "nodes": [{"name": "c", "op": "matmul", "inputs": ["a", "b"]}, {"name": "d", "op": "matmul", "inputs": ["p", "q"]}],
                "outputs": {"c": "c", "d": "d"}},
    "steps": {"inputs": {"xs": "f32[50,20,64]", "h": "f32[20,64]", "u": "f32[64,64]"},
              "nodes": [{"names": ["last", "ys"], "op": "scan", "inputs": ["xs", "h", "u"], "attrs": {"sequences": 1, "carries": 1},
                         "body": {"inputs": {"x": "f32[20,64]", "h": "f32[20,64]", "u": "f32[64,64]"},
                                  "nodes": [{"name": "z", "op": "matmul", "inputs": ["h", "u"]}, {"name": "a", "op": "add", "inputs": ["x", "z"]}, {"name": "t", "op": "tanh", "inputs": ["a"]}],
                                  "outputs": {"h": "t", "y": "t"}}}],
              "outputs": {"last": "last", "ys": "ys"}},
    "step": {"nodes": [{"name": "n", "op": "sin", "inputs": ["level"]}, {"name": "l", "op": "exp", "inputs": ["n"]}], "updates": {"level": "l"}},
    "small": {"inputs": {"x": "f64[3]"}, "nodes": [{"name": "y", "op": "tanh", "inputs": ["x"]}], "outputs": {"y": "y"}}}})";

// A function named like the module, and others named like what the emitter itself defines.
inline constexpr const char* kClashing = R"({
  "format": "cohort-ir", "version": "1.0", "name": "m", "state": {"states": {"type": "f32[3]", "init": 1}},
  "functions": {
    "m": {"inputs": {"x": "f32[3]"}, "nodes": [{"name": "g", "op": "tanh", "inputs": ["x"]}], "outputs": {"y": "g"}},
    "g": {"inputs": {"m_g": "f32[3]"}, "nodes": [{"name": "check", "op": "add", "inputs": ["m_g", "states"]}], "outputs": {"y": "check"}},
    "g_check": {"nodes": [{"name": "n", "op": "neg", "inputs": ["states"]}], "updates": {"states": "n"}}, "g_part0": {}, "this_module": {}, "m_g": {}}})";

// Names that are no identifiers, or clash once made ones.
inline constexpr const char* kHostile = R"({
  "format": "cohort-ir", "version": "1.0", "name": "1 hostile*/module",
  "dims": {"int": {"min": 0, "max": 5}},
  "state": {"layer1.weight": {"type": "f32[2]", "init": 1}, "layer1_weight": {"type": "f32[2]", "init": 2},
            "1234": {"type": "f32[]", "init": 3}, "gpu_0/data:0": {"type": "f32[]", "init": 4},
            "NULL": {"type": "f32[]", "init": 5}, "é": {"type": "f32[]", "init": 6}, "": {"type": "f32[]", "init": 7},
            "a": {"type": "f32[]", "init": 8}, "A": {"type": "f32[]", "init": 9}, "quote\"\\?\n": {"type": "f32[]", "init": 10},
            "rt_load": {"type": "f32[]", "init": 11}, "\u202erevo": {"type": "f32[]", "init": 12}},
  "functions": {
    "init": {"updates": {"a": "A", "A": "a"}},
    "class": {"inputs": {"for": "f32[int]", "a-b": "f32[int]", "a_b": "f32[int]", "workspace": "f32[int]", "rt_tanh": "f32[int]"},
              "nodes": [{"name": "sum*/", "op": "add", "inputs": ["for", "a-b"]}, {"name": "double", "op": "add", "inputs": ["sum*/", "a_b"]},
                        {"name": "i", "op": "add", "inputs": ["double", "workspace"]}, {"name": "rt_add", "op": "add", "inputs": ["i", "rt_tanh"]},
                        {"name": "t", "op": "tanh", "inputs": ["rt_add"], "loc": "evil\\\n#error*/"},
                        {"name": "w2", "op": "add", "inputs": ["layer1.weight", "layer1_weight"]}],
              "outputs": {"for": "t", "": "i"}, "updates": {"layer1_weight": "w2"}}}})";

}  // namespace cohort::test
