"""Prints the polynomial tables of cohort/math_tables.h: near-minimax (Chebyshev) fits in high precision.

usage: fit.py > ../include/cohort/math_tables.h   (needs mpmath)
"""
import struct
from mpmath import mp, mpf, chebyfit, exp, expm1, log, sin, cos, sqrt, atan, asin, loggamma, digamma, erf, erfc, pi, findroot, diff, taylor

mp.dps = 60


def fit(function, low, high, terms):
    """Coefficients, constant first, of a polynomial with that many terms, and its largest error."""
    coefficients, error = chebyfit(function, [low, high], terms, error=True)
    return coefficients[::-1], error


def at_zero(function, order):
    """The function with its removable singularity at 0 filled in from a series: f(x)/x^order."""
    series = taylor(function, 0, 40)[order:]

    def filled(x):
        if abs(x) < mpf("0.001"):
            return sum(c * x**k for k, c in enumerate(series))
        return function(x) / x**order
    return filled


def number(value, double):
    if double:
        return float(value).hex()
    as_float = struct.unpack("f", struct.pack("f", float(value)))[0]
    return as_float.hex() + "f"


def table(name, function, low, high, terms, double, comment):
    coefficients, error = fit(function, mpf(low), mpf(high), terms)
    print(f"// {comment}; error {mp.nstr(error, 2)}")
    kind = "double" if double else "float"
    print(f"RT_TABLE {kind} {name}[] = {{")
    for k in range(0, len(coefficients), 4):
        print("    " + " ".join(number(c, double) + "," for c in coefficients[k:k + 4]))
    print("};")


def expm1_over(order):
    return at_zero(lambda x: exp(x) - sum(x**k / mp.factorial(k) for k in range(order)), order)


def main():
    print("// Polynomial tables, constant first. Written by runtime/fit/fit.py; change that and run it again.")
    print("#pragma once\n#include \"base.h\"\n\ninline namespace cohort_rt {\n")
    half_log2 = log(2) / 2 * mpf("1.0001")
    table("rt_exp_f32", expm1_over(2), -half_log2, half_log2, 5, False, "(exp(r) - 1 - r) / r^2, |r| <= log(2)/2")
    table("rt_exp_f64", expm1_over(2), -half_log2, half_log2, 10, True, "(exp(r) - 1 - r) / r^2, |r| <= log(2)/2")
    two = log(2)
    table("rt_exp2_f32", at_zero(lambda x: exp(x * two) - 1, 1), -0.5, 0.5, 6, False, "(2^r - 1) / r, |r| <= 1/2")
    table("rt_exp2_f64", at_zero(lambda x: exp(x * two) - 1, 1), -0.5, 0.5, 11, True, "(2^r - 1) / r, |r| <= 1/2")
    low, high = sqrt(mpf(1) / 2) - 1, sqrt(mpf(2)) - 1
    table("rt_log_f32", at_zero(lambda x: log(1 + x) - x + x**2 / 2, 3), low - mpf("0.001"), high + mpf("0.001"), 9, False,
          "(log(1 + f) - f + f^2/2) / f^3, 1 + f from sqrt(1/2) to sqrt(2)")
    # s^2 R(s^2) is what log((1 + s) / (1 - s)) / s has beyond 2.
    odd_log = lambda z: sum(2 * z**k / (2 * k + 3) for k in range(60))
    s = high / (2 + high) * mpf("1.001")
    table("rt_log_f64", odd_log, 0, s * s, 7, True, "(log((1 + s) / (1 - s)) / s - 2) / z, z = s^2")
    odd_tail = lambda z: sum(2 * z**k / (2 * k + 5) for k in range(60))
    table("rt_log_tail_f64", odd_tail, 0, s * s, 8, True, "(log((1 + s) / (1 - s)) / s - 2 - 2/3 z) / z^2, z = s^2")
    table("rt_log2_short", lambda f: log(1 + f) / f / two if abs(f) > 1e-20 else 1 / two, low - mpf("0.001"), high + mpf("0.001"), 14, True,
          "log2(1 + f) / f, 1 + f from sqrt(1/2) to sqrt(2), for pow of float")
    table("rt_exp2_short", at_zero(lambda x: exp(x * two) - 1, 1), -0.5, 0.5, 7, True, "(2^r - 1) / r, |r| <= 1/2, for pow of float")
    quarter = pi / 4 * mpf("1.0001")
    sin_rest = lambda z: sum((-1)**(k + 1) * z**k / mp.factorial(2 * k + 3) for k in range(25))
    cos_rest = lambda z: sum((-1)**k * z**k / mp.factorial(2 * k + 4) for k in range(25))
    table("rt_sin_f32", sin_rest, 0, quarter**2, 3, False, "(sin(r) / r - 1) / z, z = r^2, |r| <= pi/4")
    table("rt_sin_f64", sin_rest, 0, quarter**2, 6, True, "(sin(r) / r - 1) / z, z = r^2, |r| <= pi/4")
    table("rt_cos_f32", cos_rest, 0, quarter**2, 3, False, "(cos(r) - 1 + z/2) / z^2, z = r^2, |r| <= pi/4")
    table("rt_cos_f64", cos_rest, 0, quarter**2, 6, True, "(cos(r) - 1 + z/2) / z^2, z = r^2, |r| <= pi/4")
    atan_rest = lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z if z > 0.0001 else sum((-1)**(k + 1) * z**k / mpf(2 * k + 3) for k in range(20))
    table("rt_atan_f64", atan_rest, 0, mpf("0.415")**2, 12, True, "(atan(x) / x - 1) / z, z = x^2, |x| <= tan(pi/8)")
    asin_rest = lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z if z > 0.0001 else sum(
        mp.binomial(2 * k, k) / mpf(4)**k / (2 * k + 1) * z**(k - 1) for k in range(1, 20))
    table("rt_asin_f64", asin_rest, 0, mpf("0.2501"), 13, True, "(asin(x) / x - 1) / z, z = x^2, z <= 1/4")
    table("rt_cbrt_f64", lambda m: m**(mpf(1) / 3), 0.5, 1, 7, True, "cbrt(m), m from 1/2 to 1: a first guess")
    erf_odd = lambda z: erf(sqrt(z)) / sqrt(z) - 1 if z > 1e-8 else 2 / sqrt(pi) * (1 - z / 3 + z * z / 10 - z**3 / 42) - 1
    table("rt_erf_f64", erf_odd, 0, 1, 12, True, "erf(x) / x - 1, z = x^2, |x| <= 1")
    table("rt_erf_f32", erf_odd, 0, mpf("0.9"), 7, False, "erf(x) / x - 1, z = x^2, |x| <= 0.94")
    table("rt_erf_far_f32", lambda x: -log(erfc(x)) / x, mpf("0.93"), mpf("4.01"), 9, False, "-log(erfc(x)) / x, x from 0.93 to 4")
    scaled = lambda t: (lambda x: (1 + 2 * x) * exp(x * x) * erfc(x))(4 * (1 + t) / (1 - t)) if t < 0.9999999 else 2 / sqrt(pi)
    table("rt_erfcx_f64", scaled, mpf(-0.8), mpf(0.76), 22, True,
          "(1 + 2x) exp(x^2) erfc(x), t = (x - 4) / (x + 4), x from 0.45 to 29")
    table("rt_lgamma1_f64", at_zero(lambda t: loggamma(1 + t), 1), -0.5, 0.5, 28, True, "log|gamma(1 + t)| / t, |t| <= 1/2")
    table("rt_lgamma2_f64", at_zero(lambda t: loggamma(2 + t), 1), -0.5, 0.5, 20, True, "log|gamma(2 + t)| / t, |t| <= 1/2")
    root = findroot(digamma, mpf("1.4616321449683623"))
    near = lambda t: digamma(t + mpf("1.5")) / (t + mpf("1.5") - root) if abs(t + mpf("1.5") - root) > 1e-12 else diff(digamma, root)
    table("rt_digamma_f64", near, -0.5, 0.5, 23, True, "digamma(1.5 + t) / (1.5 + t - root), |t| <= 1/2")
    high_root = float(root)
    print(f"RT_TABLE double rt_digamma_root[] = {{{high_root.hex()}, {float(root - mpf(high_root)).hex()}}};")
    print("\n}  // namespace cohort_rt")


if __name__ == "__main__":
    main()
