"""The products of the package and the modules that each brings along."""

import os

PRODUCTS = {
    "Kingfisher": ["KingfisherImage", "KingfisherStorage", "KingfisherTransport", "Kingfisher"],
    "KingfisherCodecSupport": ["KingfisherCodecSupport"],
    "KingfisherSteps": ["KingfisherSteps"],
    "KingfisherTestSupport": ["KingfisherTestSupport"],
    "KingfisherWebP": ["KingfisherWebP"],
    "KingfisherGTK": ["KingfisherGTK"],
}
LEFT_OUT = [f"KINGFISHER{part}" for part in os.environ.get("KINGFISHER_WITHOUT", "").upper().split(",") if part]
