"""The row of the eviction policy: hit ratios instead of times."""

import subprocess


class HitRatioRow:
    """Hits of the default policy, weighted by miss cost, compared with the offline optimum and LRU."""

    TARGETS = {"belady": 0.84, "lru": 1.10, "lru-feed": 0.98}

    name = "hit-ratio"
    what = (
        "hits of MemoryStorage.Backend with its default policy over generated traces, with seeds that were "
        "not used to tune constants, at capacities of 0.5, 1, 5 and 10 % of all bytes; a miss costs 200 KB "
        "plus the image's bytes. belady: mean hits relative to a cache that knows the future; lru: this "
        "value divided by that of a plain LRU; lru-feed: the same for the feed trace only. "
        "`KingfisherBenchmarks hit-ratio [SEED...]` prints hits by trace, capacity and policy"
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
