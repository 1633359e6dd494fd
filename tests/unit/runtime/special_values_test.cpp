// The special functions against values in 50 digits: f64 within the stated distance, vectors as scalars; f32
// is computed in double and rounds once.
#include "special_values.h"
#include "accuracy.h"

#include <map>
#include <string>

namespace {

template <class T>
T value_of(const std::string& op, T a, T b, T c) {
#define ONE(name) \
  if (op == #name) return rt_##name(a)
#define TWO(name) \
  if (op == #name) return rt_##name(a, b)
#define THREE(name) \
  if (op == #name) return rt_##name(a, b, c)
  ONE(trigamma);
  TWO(polygamma);
  ONE(erfcx);
  ONE(erfinv);
  ONE(erfcinv);
  ONE(ndtr);
  ONE(log_ndtr);
  ONE(ndtri);
  TWO(gammainc);
  TWO(gammaincc);
  TWO(gammainc_grad);
  THREE(betainc);
  THREE(betainc_grad_a);
  THREE(betainc_grad_b);
  ONE(i0);
  ONE(i1);
  ONE(i0e);
  ONE(i1e);
  TWO(ive);
  TWO(kve);
  FAIL("no function " << op);
  return a;
}

// What ops.def states for f64.
double stated(const std::string& op) {
  static const std::map<std::string, double> few{
      {"trigamma", 8}, {"erfcx", 4}, {"erfinv", 4}, {"erfcinv", 4}, {"ndtr", 4}, {"log_ndtr", 4},
      {"ndtri", 4},    {"i0", 4},    {"i1", 4},     {"i0e", 4},     {"i1e", 4}};
  const auto found = few.find(op);
  return found == few.end() ? 64 : found->second;
}

}  // namespace

TEST_CASE("special functions against 50 digits") {
  std::map<std::string, Worst> worst;
  for (const SpecialValue& v : kSpecialValues) {
    const double got = value_of<double>(v.op, v.a, v.b, v.c);
    const double error = ulp_error(got, static_cast<long double>(v.value) + static_cast<long double>(v.low));
    INFO(v.op, "(", v.a, ", ", v.b, ", ", v.c, ") is ", got, ", not ", v.value);
    CHECK(error <= stated(v.op));
    Worst& most = worst[v.op];
    if (error > most.error) most = {error, v.a, v.b, 0};
    const rt_lanes<4> lanes{0};
    double all[4];
    rt_store(all, lanes,
             value_of(v.op, rt_splat<double>(lanes, v.a), rt_splat<double>(lanes, v.b),
                      rt_splat<double>(lanes, v.c)));
    CHECK(same_bits(all[3], got));
  }
  CHECK(worst.size() == 20);
  for (const auto& [op, most] : worst) report(op.c_str(), 64, most);
}

TEST_CASE("special functions of float round those of double") {
  for (const SpecialValue& v : kSpecialValues) {
    const float a = static_cast<float>(v.a), b = static_cast<float>(v.b), c = static_cast<float>(v.c);
    const float got = value_of<float>(v.op, a, b, c);
    CHECK(same_bits(got, static_cast<float>(value_of<double>(v.op, a, b, c))));
  }
}

TEST_CASE("special functions at their edges") {
  const double inf = kInf, nan = kNan;
  CHECK(same_bits(rt_trigamma(0.0), inf));
  CHECK(same_bits(rt_trigamma(-3.0), inf));
  CHECK(same_bits(rt_trigamma(inf), 0.0));
  CHECK(same_bits(rt_trigamma(-inf), nan));
  CHECK(same_bits(rt_polygamma(2.0, 0.0), -inf));
  CHECK(same_bits(rt_polygamma(2.0, -0.0), inf));
  CHECK(same_bits(rt_polygamma(2.0, -1.0), nan));
  CHECK(same_bits(rt_polygamma(0.5, 1.0), nan));
  CHECK(same_bits(rt_polygamma(-1.0, 1.0), nan));
  CHECK(same_bits(rt_polygamma(0.0, 2.5), rt_digamma(2.5)));
  CHECK(same_bits(rt_erfcx(inf), 0.0));
  CHECK(same_bits(rt_erfcx(-inf), inf));
  CHECK(same_bits(rt_erfcx(-30.0), inf));
  CHECK(same_bits(rt_erfcx(nan), nan));
  CHECK(same_bits(rt_erfinv(1.0), inf));
  CHECK(same_bits(rt_erfinv(-1.0), -inf));
  CHECK(same_bits(rt_erfinv(1.5), nan));
  CHECK(same_bits(rt_erfinv(-0.0), -0.0));
  CHECK(same_bits(rt_erfcinv(0.0), inf));
  CHECK(same_bits(rt_erfcinv(2.0), -inf));
  CHECK(same_bits(rt_erfcinv(1.0), 0.0));
  CHECK(same_bits(rt_erfcinv(-1e-300), nan));
  CHECK(same_bits(rt_ndtri(0.5), 0.0));
  CHECK(same_bits(rt_ndtri(0.0), -inf));
  CHECK(same_bits(rt_ndtri(1.0), inf));
  CHECK(same_bits(rt_ndtr(-inf), 0.0));
  CHECK(same_bits(rt_ndtr(inf), 1.0));
  CHECK(same_bits(rt_ndtr(0.0), 0.5));
  CHECK(same_bits(rt_log_ndtr(-inf), -inf));
  CHECK(same_bits(rt_log_ndtr(nan), nan));
  CHECK(rt_log_ndtr(-1e200) == -inf);
  CHECK(same_bits(rt_gammainc(0.0, 1.0), 1.0));
  CHECK(same_bits(rt_gammaincc(0.0, 1.0), 0.0));
  CHECK(same_bits(rt_gammainc(2.0, 0.0), 0.0));
  CHECK(same_bits(rt_gammainc(2.0, inf), 1.0));
  CHECK(same_bits(rt_gammaincc(2.0, inf), 0.0));
  CHECK(same_bits(rt_gammainc(-1.0, 2.0), nan));
  CHECK(same_bits(rt_gammainc(1.0, -2.0), nan));
  CHECK(same_bits(rt_gammainc(inf, 2.0), 0.0));
  CHECK(same_bits(rt_gammainc_grad(2.0, 0.0), 0.0));
  CHECK(same_bits(rt_betainc(2.0, 3.0, 0.0), 0.0));
  CHECK(same_bits(rt_betainc(2.0, 3.0, 1.0), 1.0));
  CHECK(same_bits(rt_betainc(2.0, 3.0, 1.1), nan));
  CHECK(same_bits(rt_betainc(0.0, 3.0, 0.5), nan));
  CHECK(same_bits(rt_betainc_grad_b(2.0, 3.0, 1.0), 0.0));
  CHECK(same_bits(rt_i0(inf), inf));
  CHECK(same_bits(rt_i0(0.0), 1.0));
  CHECK(same_bits(rt_i1(-inf), -inf));
  CHECK(same_bits(rt_i1(-0.0), -0.0));
  CHECK(same_bits(rt_i1e(inf), 0.0));
  CHECK(same_bits(rt_ive(0.0, 0.0), 1.0));
  CHECK(same_bits(rt_ive(1.5, 0.0), 0.0));
  CHECK(same_bits(rt_ive(1.0, -2.0), -rt_ive(1.0, 2.0)));
  CHECK(same_bits(rt_ive(1.5, -2.0), nan));
  CHECK(same_bits(rt_ive(-1.0, 2.0), nan));
  CHECK(same_bits(rt_kve(2.0, 0.0), inf));
  CHECK(same_bits(rt_kve(2.0, -1.0), nan));
  CHECK(same_bits(rt_kve(-1.5, 2.0), rt_kve(1.5, 2.0)));
  CHECK(same_bits(rt_kve(2.0, inf), 0.0));
}
