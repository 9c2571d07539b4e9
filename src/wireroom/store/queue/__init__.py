"""The queue: which work is due, who may do it, and what moves it.

`taking` gives due feeds and leads out under a lease on their host and takes them back; `next_due` says when the next of
them comes up; `waking` mends what the clock did when it was set back; `pausing` lets the leads of paused feeds sleep;
`reopening` opens leads again at a person's wish and closes those whose articles were removed; `looking` shows people
what waits and who is at work. Each host is a row: see `hosts_table`. This package imports nothing, for tables and queue know each other's columns.
"""
