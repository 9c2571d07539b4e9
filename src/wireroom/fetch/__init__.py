"""Fetch: the only room with outgoing traffic: gate (manners), guard (addresses), strategies.

One strategy per file, each of which sets PLUG to a `wireroom.ports.StrategyPlug`.
"""
