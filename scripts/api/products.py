"""The products of the package, and the modules that each exports."""

import os
import subprocess
from pathlib import Path

FORMATS = subprocess.check_output(
    [Path(__file__).resolve().parent.parent / "formats", "--names"], text=True).split()

PRODUCTS = {
    "Kingfisher": ["KingfisherImage", "KingfisherStorage", "KingfisherTransport", "Kingfisher"],
    "KingfisherCodecSupport": ["KingfisherCodecSupport"],
    "KingfisherTestSupport": ["KingfisherTestSupport"],
    "KingfisherFormats": ["KingfisherFormats"],
    **{f"Kingfisher{name}": [f"Kingfisher{name}"] for name in FORMATS},
    "KingfisherSharedCache": ["KingfisherSharedCache"],
    "KingfisherIsolation": ["KingfisherIsolation"],
    "KingfisherGTK": ["KingfisherGTK"],
}
without = os.environ.get("KINGFISHER_WITHOUT", "").upper().split(",")
LEFT_OUT = [f"KINGFISHER{part}" for part in without if part]
