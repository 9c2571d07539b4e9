"""Scout: ask a publisher's site what it offers and permits.

A runner and one file per step, each of which sets PLUG to a `wireroom.ports.Step`. Steps ask through
the `Fetch` they are given and return a `Finding`; they know neither the store nor one another.
"""
