"""The row about which images a full cache keeps: shares of hits instead of times."""

import subprocess


class HitRatioRow:
    """Hits of the default policy, in what misses would cost, against the offline best and against LRU."""

    TARGETS = {"belady": 0.84, "lru": 1.10, "lru-feed": 0.98}

    name = "hit-ratio"
    what = (
        "hits of MemoryStorage.Backend with its default policy over generated traces, by seeds that no constant was "
        "chosen with, at capacities of 0.5, 1, 5 and 10 % of all bytes; a miss costs 200 KB and the image's bytes. "
        "belady: the mean share of the hits of a cache that knows the future; lru: that share through the share of "
        "a plain LRU; lru-feed: the same on the feed alone. `KingfisherBenchmarks hit-ratio [SEED...]` prints hits "
        "by trace, capacity and policy"
    )

    def __init__(self, executable):
        self.executable = executable

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and the shares on each trace."""
        run = subprocess.run(
            [self.executable, "hit-ratio-row"], stdout=subprocess.PIPE, text=True, check=True
        )
        lines = [line.split(" ", 1) for line in run.stdout.splitlines()]
        notes = [text for first, text in lines if first == "#"]
        found = {peer: float(ratio) for peer, ratio in lines if peer != "#"}
        ratios = [(peer, found[peer], target) for peer, target in self.TARGETS.items()]
        return ratios, notes
