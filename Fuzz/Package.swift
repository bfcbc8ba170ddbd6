// swift-tools-version: 6.2
import PackageDescription

// Built by scripts/fuzz, which enables libFuzzer and AddressSanitizer for these targets and the library.
// Flags in this manifest would not apply to the library.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// An executable with libFuzzer's `main`; therefore its file is not called `main.swift`.
func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies,
        swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])])
}

let package = Package(
    name: "KingfisherFuzz",
    dependencies: [.package(name: "Kingfisher", path: "..")],
    targets: [
        .target(
            name: "FuzzHarness", dependencies: [.product(name: "Kingfisher", package: "Kingfisher")],
            swiftSettings: settings),
        fuzzer("fuzz-webp", ["FuzzHarness", .product(name: "KingfisherWebP", package: "Kingfisher")]),
        fuzzer("fuzz-bmp", ["FuzzHarness", .product(name: "KingfisherBMP", package: "Kingfisher")]),
        fuzzer("fuzz-ico", ["FuzzHarness", .product(name: "KingfisherBMP", package: "Kingfisher")]),
        fuzzer("fuzz-pnm", ["FuzzHarness", .product(name: "KingfisherPNM", package: "Kingfisher")]),
        fuzzer(
            "fuzz-avif",
            [
                "FuzzHarness", .product(name: "KingfisherAVIF", package: "Kingfisher"),
                .product(name: "KingfisherCodecSupport", package: "Kingfisher"),
            ]),
        fuzzer(
            "fuzz-jpegxl",
            [
                "FuzzHarness", .product(name: "KingfisherJPEGXL", package: "Kingfisher"),
                .product(name: "KingfisherCodecSupport", package: "Kingfisher"),
            ]),
        fuzzer(
            "fuzz-svg",
            [
                "FuzzHarness", .product(name: "KingfisherSVG", package: "Kingfisher"),
                .product(name: "KingfisherCodecSupport", package: "Kingfisher"),
            ]),
        fuzzer(
            "fuzz-heic",
            [
                "FuzzHarness", .product(name: "KingfisherHEIC", package: "Kingfisher"),
                .product(name: "KingfisherCodecSupport", package: "Kingfisher"),
            ]),
        fuzzer(
            "fuzz-tiff",
            [
                "FuzzHarness", .product(name: "KingfisherTIFF", package: "Kingfisher"),
                .product(name: "KingfisherCodecSupport", package: "Kingfisher"),
            ]),
        .target(name: "SlowGIF", swiftSettings: settings),
        fuzzer("fuzz-gif", ["FuzzHarness", "SlowGIF"]),
        fuzzer("fuzz-lzw", ["FuzzHarness", "SlowGIF"]),
        fuzzer("fuzz-png", ["FuzzHarness"]),
        fuzzer("fuzz-apng", ["FuzzHarness"]),
        fuzzer("fuzz-jpeg", ["FuzzHarness"]),
        fuzzer("fuzz-baseline", [.product(name: "Kingfisher", package: "Kingfisher")]),
        fuzzer("fuzz-scans", ["FuzzHarness"]),
        fuzzer("fuzz-metadata", ["FuzzHarness"]),
        fuzzer(
            "fuzz-facts", ["FuzzHarness", .product(name: "KingfisherWebP", package: "Kingfisher")]),
        fuzzer("fuzz-detect", ["FuzzHarness", .product(name: "KingfisherWebP", package: "Kingfisher")]),
        fuzzer("fuzz-headers", ["FuzzHarness"]),
        fuzzer("fuzz-attribute", ["FuzzHarness"]),
        fuzzer("fuzz-placeholder", [.product(name: "Kingfisher", package: "Kingfisher")]),
        fuzzer("fuzz-decoder-reply", [.product(name: "KingfisherIsolation", package: "Kingfisher")]),
        fuzzer("fuzz-decoder-request", [.product(name: "KingfisherIsolation", package: "Kingfisher")]),
        .target(name: "PlantedC"),
        fuzzer("proof-c", ["PlantedC"]),
        fuzzer("proof-swift", []),
    ],
    swiftLanguageModes: [.v6]
)
