"""Are the orders that the protocol needs given by ARMv8's LDAR and STLR, and would weaker loads and stores do?

Each case is a few straight-line threads. An ARMv8 machine is other-multi-copy-atomic: all threads share one memory, and
what is left to chance is the order in which a thread's own accesses reach it. So every case is run through all such
orders. A thread may perform an access when every earlier one that is ordered before it has been performed:

    LDAR (A)   nothing later goes before it, and it waits for earlier STLR
    LDAPR (Q)  nothing later goes before it
    STLR (R)   waits for everything earlier
    plain (.)  only for accesses to the same place; a load may also take its value from the thread's own store that is
               still waiting, but an LDAR does not take it from an STLR

`x=R1` stores 1 to x; `a=Ax` loads x into register a. What must never be seen is a condition on the registers.
"""

import re
import sys

CASES = [
    # want, name, threads, what must never be seen together
    ("safe", "hazard: set, re-check the slot | unlink, scan",
     "hp=R1 a=Aslot | slot=R1 b=Ahp", "a==0 and b==0"),
    ("unsafe", "hazard: re-check by LDAPR",
     "hp=R1 a=Qslot | slot=R1 b=Ahp", "a==0 and b==0"),
    ("unsafe", "hazard: re-check by a plain load",
     "hp=R1 a=.slot | slot=R1 b=Ahp", "a==0 and b==0"),
    ("unsafe", "hazard: set by a plain store",
     "hp=.1 a=Aslot | slot=R1 b=Ahp", "a==0 and b==0"),
    ("unsafe", "hazard: scanned by a plain load",
     "hp=R1 a=Aslot | slot=R1 b=.hp", "a==0 and b==0"),
    ("safe", "chunk: second hazard, re-check | unlink, scan",
     "h2=R1 a=Aslot | slot=R1 b=Ah2", "a==0 and b==0"),
    ("safe", "claim: high, hazard, re-check | unlink, load high, load hazard",
     "high=R1 hp=R1 a=Aslot | slot=R1 b=Ahigh c=Ahp", "a==0 and (b==0 or c==0)"),
    ("safe", "reuse: copy, clear the hazard | see it clear, fill the cell",
     "x=.row hp=R2 | h=Ahp row=.7", "h==2 and x==7"),
    ("unsafe", "reuse: hazard cleared by a plain store",
     "x=.row hp=.2 | h=Ahp row=.7", "h==2 and x==7"),
    ("safe", "publication: fill the row, store the slot | load the slot, read the row",
     "row=.1 slot=R1 | s=Aslot x=.row", "s==1 and x==0"),
    ("unsafe", "publication: slot by a plain store",
     "row=.1 slot=.1 | s=Aslot x=.row", "s==1 and x==0"),
    ("safe", "fill: version, slot | odd, slot, even",
     "v=Aver s=Aslot | ver=R1 slot=R1 ver=R2", "v==2 and s==0"),
    ("unsafe", "fill: version by a plain load",
     "v=.ver s=Aslot | ver=R1 slot=R1 ver=R2", "v==2 and s==0"),
    ("unsafe", "fill: even step by a plain store",
     "v=Aver s=Aslot | ver=R1 slot=R1 ver=.2", "v==2 and s==0"),
    ("safe", "hit after a message: odd, slot | see the slot, tell | be told, load the version",
     "ver=R1 slot=R1 | s=Aslot flag=R1 | f=Aflag v=Aver", "s==1 and f==1 and v==0"),
    ("unsafe", "hit after a message: odd step by a plain store after which the slot goes first",
     "ver=.1 slot=.1 | s=Aslot flag=R1 | f=Aflag v=Aver", "s==1 and f==1 and v==0"),
    ("unsafe", "hit after a message: both loads plain",
     "ver=R1 slot=R1 | s=Aslot flag=R1 | f=.flag v=.ver", "s==1 and f==1 and v==0"),
    ("safe", "hit: two keys, the later write seen, then the version of the earlier",
     "verB=R1 verA=R1 | a=AverA b=AverB", "a==1 and b==0"),
    ("unsafe", "hit: two keys by plain loads",
     "verB=R1 verA=R1 | a=.verA b=.verB", "a==1 and b==0"),
    ("safe", "hit after one's own write, on two threads",
     "verA=R1 x=AverB | verB=R1 y=AverA", "x==0 and y==0"),
    ("unsafe", "hit after one's own write by LDAPR",
     "verA=R1 x=QverB | verB=R1 y=QverA", "x==0 and y==0"),
    ("safe", "merge: multi, odd, rows | version, multi, row",
     "multi=R1 ver=R1 row=R1 | v=Aver m=Amulti s=Arow", "s==1 and v==1 and m==0"),
    ("safe", "merge: a row seen new, then multi, while the other is old",
     "multi=R1 rowA=R1 rowB=R1 multi=R0 | a=ArowA m=Amulti b=ArowB", "a==1 and m==0 and b==0"),
    ("unsafe", "merge: multi by a plain load",
     "multi=R1 rowA=R1 rowB=R1 multi=R0 | a=.rowA m=.multi b=.rowB", "a==1 and m==0 and b==0"),
    ("safe", "resize: copy, descriptor, generation | generation, descriptor",
     "desc=R1 gen=R1 | g=Agen d=Adesc", "g==1 and d==0"),
    ("unsafe", "resize: generation by a plain load",
     "desc=R1 gen=R1 | g=.gen d=Adesc", "g==1 and d==0"),
    ("safe", "watch: register, sum again | bump, look for waiters",
     "reg=R1 a=Asum | sum=R1 b=Areg", "a==0 and b==0"),
    ("unsafe", "watch: sum again by LDAPR",
     "reg=R1 a=Qsum | sum=R1 b=Areg", "a==0 and b==0"),
]


def parse(text):
    """Threads as lists of (is_store, place, kind, value or register)."""
    threads = []
    for part in text.split("|"):
        ops = []
        for word in part.split():
            left, kind, right = re.fullmatch(r"(\w+)=([AQR.])(\w+)", word).groups()
            if kind == "R" or right.isdigit():
                ops.append((True, left, kind, int(right)))
            else:
                ops.append((False, right, kind, left))
        threads.append(ops)
    return threads


def ordered(ops, i, j):
    """Must access i of a thread be performed before its later access j?"""
    (store_i, place_i, kind_i, _), (store_j, place_j, kind_j, _) = ops[i], ops[j]
    if not store_i and kind_i in "AQ":
        return True
    if store_j and kind_j == "R":
        return True
    if store_i and kind_i == "R" and not store_j and kind_j == "A":
        return True
    # The same place: all but a store and a later load, which may be forwarded.
    return place_i == place_j and not (store_i and not store_j)


def outcomes(threads):
    """All final register values, by a search over the orders in which accesses reach memory."""
    start = (tuple(0 for _ in threads), (), ())
    stack, seen, results = [start], {start}, set()
    everything = tuple((1 << len(ops)) - 1 for ops in threads)
    while stack:
        done, memory, registers = stack.pop()
        if done == everything:
            results.add(registers)
            continue
        for t, ops in enumerate(threads):
            for j, (store, place, _, what) in enumerate(ops):
                if done[t] >> j & 1:
                    continue
                if any(not done[t] >> i & 1 and ordered(ops, i, j) for i in range(j)):
                    continue
                mem, regs = dict(memory), dict(registers)
                if store:
                    mem[place] = what
                else:
                    own = [op[3] for i, op in enumerate(ops[:j]) if op[0] and op[1] == place and not done[t] >> i & 1]
                    regs[what] = own[-1] if own else mem.get(place, 0)
                state = (done[:t] + (done[t] | 1 << j,) + done[t + 1:],
                         tuple(sorted(mem.items())), tuple(sorted(regs.items())))
                if state not in seen:
                    seen.add(state)
                    stack.append(state)
    return results


def main():
    failed = 0
    for want, name, text, never in CASES:
        seen = any(eval(never, {}, dict(regs)) for regs in outcomes(parse(text)))
        verdict = "unsafe" if seen else "safe"
        if verdict == want:
            print(f"ok litmus {name}: {verdict}")
        else:
            failed += 1
            print(f"FAIL litmus {name}: {verdict}, should be {want} ({text})")
    return 1 if failed else 0


sys.exit(main())
