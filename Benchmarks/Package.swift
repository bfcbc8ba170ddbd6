// swift-tools-version: 6.2
import Foundation
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// The windows of FirstPixels need the product KingfisherGTK, which this variable may leave out.
let without = (ProcessInfo.processInfo.environment["KINGFISHER_WITHOUT"] ?? "").uppercased().split(
    separator: ",")
let withGTK = !without.contains("GTK")

/// Run by the rows of first pixels, with `driver/pixbuf_view.c` as the peer.
let firstPixels = Target.executableTarget(
    name: "FirstPixels",
    dependencies: [.product(name: "KingfisherGTK", package: "Kingfisher"), "CSystem"], swiftSettings: settings
)

let scroll: [Target] = [
    // Also compiled with the peer `driver/peer_grid.c`.
    .target(name: "CScroll", dependencies: [.product(name: "KingfisherGTK", package: "Kingfisher")]),
    .executableTarget(
        name: "ScrollGrid",
        dependencies: [.product(name: "KingfisherGTK", package: "Kingfisher"), "CScroll"],
        swiftSettings: settings),
]

let package = Package(
    name: "KingfisherBenchmarks",
    dependencies: [.package(name: "Kingfisher", path: "..")],
    targets: [
        .executableTarget(
            name: "KingfisherBenchmarks",
            dependencies: [
                .product(name: "Kingfisher", package: "Kingfisher"),
                .product(name: "KingfisherFormats", package: "Kingfisher"),
                .product(name: "KingfisherIsolation", package: "Kingfisher"),
                // Built beside this program, where the row isolated-thumb finds it.
                .product(name: "kingfisher-decoder", package: "Kingfisher"),
                .product(name: "KingfisherTestSupport", package: "Kingfisher"),
                "CAllocations", "CSystem",
            ],
            swiftSettings: settings),
        .target(name: "CAllocations"),
        // SHA-256 for the port of the original in the disk cache rows.
        .target(name: "CSystem", linkerSettings: [.linkedLibrary("crypto")]),
        // Run by scripts/soak.
        .executableTarget(
            name: "Soak",
            dependencies: [
                .product(name: "Kingfisher", package: "Kingfisher"),
                .product(name: "KingfisherTestSupport", package: "Kingfisher"),
            ],
            swiftSettings: settings),
        // Run by scripts/growth.
        .executableTarget(
            name: "Growth",
            dependencies: [
                .product(name: "Kingfisher", package: "Kingfisher"),
                .product(name: "KingfisherTestSupport", package: "Kingfisher"),
                "CSystem",
            ],
            swiftSettings: settings),
        // Run by scripts/instructions.
        .executableTarget(
            name: "Instructions",
            dependencies: [
                .product(name: "Kingfisher", package: "Kingfisher"),
                .product(name: "KingfisherFormats", package: "Kingfisher"),
                .product(name: "KingfisherService", package: "Kingfisher"),
                .product(name: "KingfisherSharedCache", package: "Kingfisher"),
                .product(name: "KingfisherTestSupport", package: "Kingfisher"),
            ],
            swiftSettings: settings),
        // The peer curl-multi of the download rows.
        .executableTarget(name: "CurlMultiLoop", linkerSettings: [.linkedLibrary("curl")]),
        // Run by the row start-image, with `driver/first_image.c` as the peer.
        .executableTarget(
            name: "FirstImage", dependencies: [.product(name: "Kingfisher", package: "Kingfisher")],
            swiftSettings: settings),
        // Compared with dwebp by Tests/Fixtures/generate/check_webp.
        .executableTarget(
            name: "WebPPixels",
            dependencies: [.product(name: "KingfisherWebP", package: "Kingfisher")]),
    ] + (withGTK ? [firstPixels] + scroll : []),
    swiftLanguageModes: [.v6]
)
