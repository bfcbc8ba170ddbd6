// swift-tools-version: 6.3
import Foundation
import PackageDescription

/// As in the library's own manifest: `KINGFISHER_WITHOUT=WebP` builds a tool that does not know the format.
let withWebP = !(ProcessInfo.processInfo.environment["KINGFISHER_WITHOUT"] ?? "").uppercased()
    .split(separator: ",").contains("WEBP")

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "kingfisher-command-line",
    products: [
        .executable(name: "kingfisher", targets: ["KingfisherCLI"]),
        // The language of -p, for programs that show or take it.
        .library(name: "KingfisherSteps", targets: ["KingfisherSteps"]),
    ],
    dependencies: [
        .package(name: "Kingfisher", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .target(
            name: "KingfisherSteps",
            dependencies: [.product(name: "Kingfisher", package: "Kingfisher")], swiftSettings: settings),
        .executableTarget(
            name: "KingfisherCLI",
            dependencies: [
                "KingfisherSteps",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Kingfisher", package: "Kingfisher"),
            ] + (withWebP ? [.product(name: "KingfisherWebP", package: "Kingfisher")] : []),
            // `canImport` would find the module of an earlier build that had it.
            swiftSettings: settings + (withWebP ? [.define("WITH_WEBP")] : [])),
        .testTarget(
            name: "KingfisherCLITests",
            dependencies: [
                "KingfisherCLI", "KingfisherSteps",
                .product(name: "KingfisherTestSupport", package: "Kingfisher"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
