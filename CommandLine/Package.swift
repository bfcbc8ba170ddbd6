// swift-tools-version: 6.3
import Foundation
import PackageDescription

// As in the library's manifest, `KINGFISHER_WITHOUT=WebP` builds a tool without WebP.
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
        .executable(name: "kingfisher", targets: ["KingfisherCLI"])
    ],
    dependencies: [
        .package(name: "Kingfisher", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .executableTarget(
            name: "KingfisherCLI",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Kingfisher", package: "Kingfisher"),
                .product(name: "KingfisherSteps", package: "Kingfisher"),
            ] + (withWebP ? [.product(name: "KingfisherWebP", package: "Kingfisher")] : []),
            // `canImport` would find the module of an earlier build.
            swiftSettings: settings + (withWebP ? [.define("WITH_WEBP")] : [])),
        .testTarget(
            name: "KingfisherCLITests",
            dependencies: [
                "KingfisherCLI",
                .product(name: "KingfisherSteps", package: "Kingfisher"),
                .product(name: "KingfisherTestSupport", package: "Kingfisher"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
