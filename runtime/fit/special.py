"""Prints cohort/special_tables.h: the rule of Gauss and Legendre, 1 / gamma, Debye's polynomials, I0 and I1.

usage: special.py > ../include/cohort/special_tables.h   (needs mpmath)
"""
from fractions import Fraction

from mpmath import besseli, chebyfit, cos, exp, factorial, findroot, legendre, mp, mpf, nstr, nsum, pi, rgamma, sqrt, taylor

mp.dps = 40


def table(name, values):
    print(f"RT_TABLE double {name}[] = {{")
    for k in range(0, len(values), 4):
        print("    " + " ".join(float(v).hex() + "," for v in values[k:k + 4]))
    print("};")


def gauss(n):
    points = []
    for i in range(1, n // 2 + 1):
        x = findroot(lambda t: legendre(n, t), cos(pi * (i - mpf(1) / 4) / (n + mpf(1) / 2)))
        slope = n * (x * legendre(n, x) - legendre(n - 1, x)) / (x * x - 1)
        weight = 1 / ((1 - x * x) * slope * slope)
        points += [((1 - x) / 2, weight), ((1 + x) / 2, weight)]
    return sorted(points)


def debye(count):
    """The coefficients of u_k(p) / p^k in p^2 for k = 1 to count (DLMF 10.41.9)."""
    u, flat = {0: Fraction(1)}, []
    for k in range(1, count + 1):
        following = {}
        for n, c in u.items():
            for power, factor in ((n + 1, Fraction(n, 2) + Fraction(1, 8 * (n + 1))), (n + 3, -Fraction(n, 2) - Fraction(5, 8 * (n + 3)))):
                following[power] = following.get(power, 0) + c * factor
        u = following
        flat += [u.get(k + 2 * j, Fraction(0)) for j in range(k + 1)]
    return flat


def near(order):
    """I0(x) = 1 + t f(t), 2 I1(x) / x = 1 + t f(t), t = x^2 / 4."""
    def f(t):
        if t < mpf("1e-3"):
            return nsum(lambda k: t**(k - 1) / (factorial(k) * factorial(k + order)), [1, 30])
        return (besseli(order, 2 * sqrt(t)) / sqrt(t)**order - 1) / t
    return f


def far(order):
    def f(u):
        if u >= mpf("1e-6"):
            return besseli(order, 1 / u) * exp(-1 / u) / sqrt(u)
        term = total = mpf(1)
        for k in range(1, 25):
            term *= -(4 * order**2 - (2 * k - 1)**2) / mpf(8 * k) * u
            total += term
        return total / sqrt(2 * pi)
    return f


def fitted(name, function, high, terms, comment):
    coefficients, error = chebyfit(function, [0, high], terms, error=True)
    print(f"// {comment}; error {nstr(error, 2)}")
    table(name, coefficients[::-1])


def main():
    print("// Tables of the special functions, constant first. Written by runtime/fit/special.py; change that and run it again.")
    print("#pragma once\n#include \"base.h\"\n\ninline namespace cohort_rt {\n")
    print("// Gauss and Legendre's rule in 32 points, for the interval from 0 to 1.")
    points = gauss(32)
    table("rt_gauss_nodes", [at for at, _ in points])
    table("rt_gauss_weights", [weight for _, weight in points])
    print("// 1 / gamma(1 + m) as the even part plus m times the odd part, in m^2.")
    series = taylor(lambda z: rgamma(1 + z), 0, 26)
    table("rt_gamma_even_f64", series[0:24:2])
    table("rt_gamma_odd_f64", series[1:24:2])
    fitted("rt_i0_near_f64", near(0), 16, 17, "(I0(x) - 1) / t, t = x^2/4, |x| <= 8")
    fitted("rt_i1_near_f64", near(1), 16, 17, "(2 I1(x)/x - 1) / t, t = x^2/4, |x| <= 8")
    fitted("rt_i0_far_f64", far(0), mpf(1) / 8, 22, "I0(x) exp(-x) sqrt(x) in 1/x, x >= 8")
    fitted("rt_i1_far_f64", far(1), mpf(1) / 8, 22, "I1(x) exp(-x) sqrt(x) in 1/x, x >= 8")
    print("// Debye's polynomials u_1 to u_10: of u_k(p) / p^k in p^2 one after the other.")
    table("rt_debye_f64", debye(10))
    print("\n}  // namespace cohort_rt")


if __name__ == "__main__":
    main()
