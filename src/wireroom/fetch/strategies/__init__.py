"""The strategies for fetching a page, one file each; each sets PLUG to a `wireroom.ports.StrategyPlug`."""
