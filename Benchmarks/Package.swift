// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "KingfisherBenchmarks",
    dependencies: [.package(name: "Kingfisher", path: "..")],
    targets: [
        .executableTarget(
            name: "KingfisherBenchmarks",
            dependencies: [
                .product(name: "Kingfisher", package: "Kingfisher"),
                .product(name: "KingfisherWebP", package: "Kingfisher"),
                .product(name: "KingfisherTestSupport", package: "Kingfisher"),
                "CAllocations", "CSystem",
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]),
        .target(name: "CAllocations"),
        // SHA-256 for the port of the rows of disk caches.
        .target(name: "CSystem", linkerSettings: [.linkedLibrary("crypto")]),
        // What scripts/soak runs.
        .executableTarget(
            name: "Soak",
            dependencies: [
                .product(name: "Kingfisher", package: "Kingfisher"),
                .product(name: "KingfisherTestSupport", package: "Kingfisher"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]),
        // The peer curl-multi of the rows of downloads.
        .executableTarget(name: "CurlMultiLoop", linkerSettings: [.linkedLibrary("curl")]),
        // What scripts/references/check_webp compares with dwebp.
        .executableTarget(
            name: "WebPPixels",
            dependencies: [.product(name: "KingfisherWebP", package: "Kingfisher")]),
    ],
    swiftLanguageModes: [.v6]
)
