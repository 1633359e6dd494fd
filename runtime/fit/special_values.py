"""Prints tests/unit/runtime/special_values.h: values of the special functions in 50 digits; takes some minutes.

usage: special_values.py > ../../tests/unit/runtime/special_values.h   (needs mpmath)

The incomplete functions and their slopes are integrals in log(t) and log(t / (1 - t)), by adaptive quadrature.
"""
import random
import sys
from mpmath import *
mp.dps = 50
random.seed(7)
def findw(e,t):
    lo=mpf(0);hi=mpf('1e-6')
    while e(hi)>t: hi*=2
    for _ in range(40):
        m=(lo+hi)/2
        if e(m)>t: lo=m
        else: hi=m
    return hi
def gq(a,x,which):
    """P, Q, dP/da by quadrature on x's side in log t; independent of the switch used in the code"""
    a=mpf(a);x=mpf(x)
    with workdps(50):
        p0=exp(a*log(x)-x-loggamma(a))
        lx=log(x)-digamma(a)
        Wu=findw(lambda w:a*w-x*expm1(w), -125); Wl=findw(lambda w:-a*w-x*expm1(-w), -125)
        n=16+int(Wu/2) ; m=16+int(min(Wl,400)/2)
        if which=='Q': return p0*quad(lambda w: exp(a*w-x*expm1(w)),linspace(0,Wu,n))
        if which=='P': return p0*quad(lambda w: exp(-a*w-x*expm1(-w)),linspace(0,Wl,m))
        if x>a: return -p0*quad(lambda w:(lx+w)*exp(a*w-x*expm1(w)),linspace(0,Wu,n))
        return p0*quad(lambda w:(lx-w)*exp(-a*w-x*expm1(-w)),linspace(0,Wl,m))
def bq(a,b,x,which):
    a=mpf(a);b=mpf(b);x=mpf(x);y=1-x
    if a==0: return nan
    with workdps(50):
        p0=exp(a*log(x)+b*log(y)-loggamma(a)-loggamma(b)+loggamma(a+b))
        low=(x<=a/(a+b))
        e=(lambda w:-a*w-(a+b)*log1p(x*expm1(-w))) if low else (lambda w:-b*w-(a+b)*log1p(y*expm1(-w)))
        W=findw(e,-125); n=16+int(min(W,400)/2)
        lt=(lambda w: log(x*exp(-w)/(y+x*exp(-w)))) if low else (lambda w: log(x/(x+y*exp(-w))))
        lu=(lambda w: log(y/(y+x*exp(-w)))) if low else (lambda w: log(y*exp(-w)/(x+y*exp(-w))))
        ca=-digamma(a)+digamma(a+b); cb=-digamma(b)+digamma(a+b)
        if which=='v':
            v=p0*quad(lambda w:exp(e(w)),linspace(0,W,n)); return v if low else 1-v
        if which=='a': v=p0*quad(lambda w:(lt(w)+ca)*exp(e(w)),linspace(0,W,n))
        else: v=p0*quad(lambda w:(lu(w)+cb)*exp(e(w)),linspace(0,W,n))
        return v if low else -v
def emit(fn, args, v):
    try:
        hi = float(v)
    except OverflowError:
        return
    if abs(hi) == float('inf') or hi != hi:
        return
    numbers = list(args) + [0.0] * (3 - len(args)) + [hi, float(v - mpf(hi))]
    print('    {"%s", %s},' % (fn, ', '.join(float(t).hex().replace('.0000000000000p', 'p') for t in numbers)))
    sys.stdout.flush()


r=random.uniform
lu=lambda lo,hi: 10**r(lo,hi)
N = 40
def gamma_values():
    pts=[(0.5,0.2),(0.01,0.3),(1e-3,0.1),(1e-5,1e-3),(1e-3,2.0),(1.0,1.5),(5.0,5.5),(15.9,16.4),(16.0,16.5),(16.,16.6),(20.,3.),(100.,100.),(1000.,1010.),(1e4,9.9e3),(1e6,1.001e6),(1e8,1e8),(200.,500.),(3.,700.),(10.,745.),(50.,1.),(30.,400.),(0.3,1e-30)]
    for i in range(N):
        a=lu(-3,4); s=a**.5; x=abs(a+r(-6,6)*s) if i%2 else lu(-3,2.5)
        pts.append((a,x))
    for a,x in pts:
        for w,fn in (('P','gammainc'),('Q','gammaincc'),('S','gammainc_grad')):
            v=gq(a,x,w)
            emit(fn,(a,x),v)
def beta_values():
    pts=[(.5,.5,.3),(2.,3.,.4),(1e-3,1.,.5),(1.,1e-3,.5),(1.,1e-5,.9999999),(20.,30.,.4),(100.,50.,.66),(1000.,2000.,.3333),(1e5,2e5,.3334),(1e6,3.,.999995),(.1,1e4,1e-5),(5.,5.,.01),(12.,.5,.999),(300.,.2,.9999),(3.,400.,.02),(0.01,0.02,.7)]
    for i in range(N):
        a=lu(-2,3.5); b=lu(-2,3.5); m=a/(a+b); s=(m*(1-m)/(a+b+1))**.5
        x=min(max(m+r(-4,4)*s,1e-6),1-1e-6) if i%2 else r(0.001,.999)
        pts.append((a,b,x))
    for a,b,x in pts:
        for w,fn in (('v','betainc'),('a','betainc_grad_a'),('b','betainc_grad_b')): emit(fn,(a,b,x),bq(a,b,x,w))
def polygamma_values():
    for i in range(N): 
        x=lu(-2,3) if i%3 else -r(0,20)
        n=random.choice([1,2,3,4,7,20,63,100]) if i%2 else random.choice([1,2,3])
        emit('polygamma',(n,x),psi(n,mpf(x)))
        x=lu(-3,6) if i%3 else -r(0,20)
        emit('trigamma',(x,),psi(1,mpf(x)))
    for n,x in [(170.,60.),(171.,60.),(300.,120.),(700.,700.),(700.,300.),(100.,40.),(100.,1e3),(170.,1e3),(2.,1e10)]: emit('polygamma',(n,x),psi(int(n),mpf(x)))
def normal_values():
    for i in range(N):
        x=r(-26,30) if i%2 else r(-1.5,3); emit('erfcx',(x,),exp(mpf(x)**2)*erfc(mpf(x)))
        x=lu(1,100); emit('erfcx',(x,),(lambda X: 1/(X*sqrt(pi))*(1-1/(2*X*X)+3/(4*X**4)-15/(8*X**6)+105/(16*X**8)-945/(32*X**10)+10395/(64*X**12)))(mpf(x)) if x>100 else exp(mpf(x)**2)*erfc(mpf(x)))
        y=r(-1,1) if i%2 else 1-lu(-15,-.5); emit('erfinv',(y,),erfinv(mpf(y)))
        y=lu(-30,0); emit('erfinv',(y,),erfinv(mpf(y)))
        q=lu(-307,.3) if i%2 else lu(-20,.3)
        def eci(q):
            q=mpf(q)
            if q>mpf(1)/100: return erfinv(1-q)
            x=sqrt(-log(q*sqrt(pi)*sqrt(-log(q))))
            for _ in range(12): x=x+(log(erfc(x))-log(q))*erfc(x)*exp(x*x)*sqrt(pi)/2
            return x
        emit('erfcinv',(q,),eci(q))
        p=q/2 if i%3 else r(0,1); emit('ndtri',(p,),-sqrt(mpf(2))*(eci(2*mpf(p)) if p<=.5 else erfinv(1-2*mpf(p))))
        x=r(-37,8) if i%2 else r(-3,3); emit('ndtr',(x,),erfc(-mpf(x)/sqrt(mpf(2)))/2)
        x=r(-60,20) if i%3 else r(-3,3); emit('log_ndtr',(x,),log(erfc(-mpf(x)/sqrt(mpf(2)))/2) if x<2 else log1p(-erfc(mpf(x)/sqrt(mpf(2)))/2))
    for x in (-1e5,-1e10): emit('log_ndtr',(x,),-mpf(x)**2/2-log(-mpf(x))-log(2*pi)/2)
def bessel_values():
    for i in range(N):
        for n in (0,1):
            x=r(-20,20) if i%2 else lu(-3,2.8); emit('i%d'%n,(x,),besseli(n,mpf(x)))
            x=lu(-3,8) if i%2 else r(-20,20); emit('i%de'%n,(x,),besseli(n,mpf(x))*exp(-abs(mpf(x))) if abs(x)<1e4 else nsum(lambda k: fprod([-(4*n*n-(2*j-1)**2)/(j*8*mpf(x)) for j in range(1,int(k)+1)]),[0,12])/sqrt(2*pi*mpf(x)))
        v=lu(-2,2.3) if i%3 else random.choice([0,1,2,.5,10,50,.3]); x=lu(-3,2.6) if i%2 else r(0.1,120)
        with workdps(120):
            a=besseli(mpf(v),mpf(x))*exp(-mpf(x)); b=besselk(mpf(v),mpf(x))*exp(mpf(x))
        emit('ive',(v,x),+a); emit('kve',(v,x),+b)


def main():
    print("// Values of the special functions: operator, operands, the value as a double and what it lacks. Written by\n"
          "// runtime/fit/special_values.py.\n#pragma once\n\nstruct SpecialValue {\n  const char* op;\n"
          "  double a, b, c, value, low;\n};\n// clang-format off\nconstexpr SpecialValue kSpecialValues[] = {")
    for values in (normal_values, polygamma_values, bessel_values, gamma_values, beta_values):
        random.seed(7)
        values()
    print("};\n// clang-format on")


if __name__ == "__main__":
    main()
