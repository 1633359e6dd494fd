// The counters of an instrumented module as JSON, what `cohort compile --profile` reads. Includes the C
// library: modules include it in one source only.
#pragma once
#include <stdio.h>

#include "profile.h"

inline namespace cohort_rt {

// One function and where its counters begin in the workspace.
struct rt_counted {
  const char* function;
  uint64_t offset;
  uint32_t dims, kernels;
  const char* const* names;  // of the dims, then of the kernels
};

// Text that ends where the caller's array does; `length` goes on.
struct rt_writer {
  char* text;
  size_t bytes, length;
};
RT_CALL void rt_put_char(rt_writer& writer, char c) {
  if (writer.length + 1 < writer.bytes) writer.text[writer.length] = c;
  ++writer.length;
}
RT_CALL void rt_put(rt_writer& writer, const char* text) {
  for (; *text; ++text) rt_put_char(writer, *text);
}
RT_CALL void rt_put_number(rt_writer& writer, uint64_t number) {
  char digits[24];
  snprintf(digits, sizeof digits, "%llu", static_cast<unsigned long long>(number));
  rt_put(writer, digits);
}
RT_CALL void rt_put_string(rt_writer& writer, const char* text) {
  rt_put_char(writer, '"');
  for (; *text; ++text) {
    const unsigned char byte = static_cast<unsigned char>(*text);
    if (byte < 0x20) {
      char escaped[8];
      snprintf(escaped, sizeof escaped, "\\u%04x", unsigned{byte});
      rt_put(writer, escaped);
      continue;
    }
    if (byte == '"' || byte == '\\') rt_put_char(writer, '\\');
    rt_put_char(writer, *text);
  }
  rt_put_char(writer, '"');
}

RT_CALL void rt_put_dim(rt_writer& writer, const char* name, const rt_dim_counters& counters) {
  rt_put_string(writer, name);
  rt_put(writer, ": {\"values\": [");
  for (int k = 0; k < rt_counted_values && counters.values[k].calls; ++k) {
    rt_put(writer, k ? ", [" : "[");
    rt_put_number(writer, static_cast<uint64_t>(counters.values[k].value));
    rt_put(writer, ", ");
    rt_put_number(writer, counters.values[k].calls);
    rt_put(writer, "]");
  }
  rt_put(writer, "], \"other\": ");
  rt_put_number(writer, counters.other);
  rt_put(writer, "}");
}
RT_CALL void rt_put_function(rt_writer& writer, const rt_counted& function, const void* workspace) {
  rt_put_string(writer, function.function);
  rt_put(writer, ": {\"calls\": ");
  rt_put_number(writer, *rt_place<uint64_t>(workspace, function.offset));
  rt_put(writer, ", \"dims\": {");
  uint64_t at = function.offset + sizeof(uint64_t);
  for (uint32_t d = 0; d < function.dims; ++d, at += sizeof(rt_dim_counters)) {
    if (d) rt_put(writer, ", ");
    rt_put_dim(writer, function.names[d], *rt_place<rt_dim_counters>(workspace, at));
  }
  rt_put(writer, "}, \"kernels\": {");
  for (uint32_t k = 0; k < function.kernels; ++k, at += sizeof(rt_kernel_counters)) {
    const rt_kernel_counters* counters = rt_place<rt_kernel_counters>(workspace, at);
    rt_put(writer, k ? ",\n    " : "\n    ");
    rt_put_string(writer, function.names[function.dims + k]);
    rt_put(writer, ": {\"calls\": ");
    rt_put_number(writer, counters->calls);
    rt_put(writer, ", \"ns\": ");
    rt_put_number(writer, counters->ns);
    rt_put(writer, "}");
  }
  rt_put(writer, "}}");
}

// As snprintf; 0 and an empty text if the workspace is not this module's.
RT_CALL size_t rt_profile_text(const rt_module& module, const rt_counted* functions, size_t count,
                               const void* workspace, char* text, size_t bytes) {
  rt_writer writer = {text, bytes, 0};
  if (rt_check_workspace(module, workspace) == COHORT_OK) {
    rt_put(writer, "{\"format\": \"cohort-profile\", \"version\": \"1.0\", \"module\": ");
    rt_put_string(writer, module.name);
    rt_put(writer, ", \"functions\": {");
    for (size_t f = 0; f < count; ++f) {
      rt_put(writer, f ? ",\n  " : "\n  ");
      rt_put_function(writer, functions[f], workspace);
    }
    rt_put(writer, "}}\n");
  }
  if (bytes) text[writer.length < bytes ? writer.length : bytes - 1] = '\0';
  return writer.length;
}

}  // namespace cohort_rt
