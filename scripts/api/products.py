"""The products of the package, and the modules that each exports."""

import os

PRODUCTS = {
    "Kingfisher": ["KingfisherImage", "KingfisherStorage", "KingfisherTransport", "Kingfisher"],
    "KingfisherCodecSupport": ["KingfisherCodecSupport"],
    "KingfisherSteps": ["KingfisherSteps"],
    "KingfisherTestSupport": ["KingfisherTestSupport"],
    "KingfisherWebP": ["KingfisherWebP"],
    "KingfisherBMP": ["KingfisherBMP"],
    "KingfisherPNM": ["KingfisherPNM"],
    "KingfisherAVIF": ["KingfisherAVIF"],
    "KingfisherJPEGXL": ["KingfisherJPEGXL"],
    "KingfisherSVG": ["KingfisherSVG"],
    "KingfisherHEIC": ["KingfisherHEIC"],
    "KingfisherTIFF": ["KingfisherTIFF"],
    "KingfisherSharedCache": ["KingfisherSharedCache"],
    "KingfisherIsolation": ["KingfisherIsolation"],
    "KingfisherGTK": ["KingfisherGTK"],
}
without = os.environ.get("KINGFISHER_WITHOUT", "").upper().split(",")
LEFT_OUT = [f"KINGFISHER{part}" for part in without if part]
