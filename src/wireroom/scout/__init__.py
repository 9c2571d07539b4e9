"""Scout: ask a publisher's site what it offers and permits.

`visit` goes from the address to the dossier, `runner` runs the steps, `steps/` has one file per step that is no
rights signal; those of the signals stand in `wireroom.signals`. Steps ask through the `Fetch` they are given and
return a `Finding`; they know neither the store nor one another.
"""
