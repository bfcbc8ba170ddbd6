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

func product(_ name: String) -> Target.Dependency { .product(name: name, package: "Kingfisher") }

let package = Package(
    name: "KingfisherFuzz",
    dependencies: [.package(name: "Kingfisher", path: "..")],
    targets: [
        .target(
            name: "FuzzHarness", dependencies: [product("Kingfisher")],
            swiftSettings: settings),
        // For every format without a target below.
        fuzzer("fuzz-format", ["FuzzHarness", product("KingfisherFormats")]),
        fuzzer("fuzz-webp", ["FuzzHarness", product("KingfisherWebP")]),
        fuzzer(
            "fuzz-avif", ["FuzzHarness", product("KingfisherAVIF"), product("KingfisherCodecSupport")]),
        fuzzer(
            "fuzz-jxl", ["FuzzHarness", product("KingfisherJPEGXL"), product("KingfisherCodecSupport")]),
        fuzzer(
            "fuzz-tiff", ["FuzzHarness", product("KingfisherTIFF"), product("KingfisherCodecSupport")]),
        .target(name: "SlowGIF", swiftSettings: settings),
        fuzzer("fuzz-gif", ["FuzzHarness", "SlowGIF"]),
        fuzzer("fuzz-lzw", ["FuzzHarness", "SlowGIF"]),
        fuzzer("fuzz-png", ["FuzzHarness"]),
        fuzzer("fuzz-apng", ["FuzzHarness"]),
        fuzzer("fuzz-baseline", [product("Kingfisher")]),
        fuzzer("fuzz-scans", ["FuzzHarness"]),
        fuzzer("fuzz-metadata", ["FuzzHarness"]),
        fuzzer("fuzz-facts", ["FuzzHarness", product("KingfisherFormats")]),
        fuzzer("fuzz-detect", ["FuzzHarness", product("KingfisherFormats")]),
        fuzzer("fuzz-headers", ["FuzzHarness"]),
        fuzzer("fuzz-attribute", ["FuzzHarness"]),
        fuzzer("fuzz-placeholder", [product("Kingfisher")]),
        fuzzer("fuzz-service-path", [product("KingfisherService"), product("Kingfisher")]),
        fuzzer("fuzz-decoder-reply", [product("KingfisherIsolation")]),
        fuzzer("fuzz-decoder-request", [product("KingfisherIsolation")]),
        .target(name: "PlantedC"),
        fuzzer("proof-c", ["PlantedC"]),
        fuzzer("proof-swift", []),
    ],
    swiftLanguageModes: [.v6]
)
