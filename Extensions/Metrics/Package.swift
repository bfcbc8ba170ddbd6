// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// A separate package, so that only programs that use swift-metrics fetch it.
let package = Package(
    name: "kingfisher-metrics",
    products: [
        .library(name: "KingfisherMetrics", targets: ["KingfisherMetrics"])
    ],
    dependencies: [
        .package(name: "Kingfisher", path: "../.."),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.7.1"),
    ],
    targets: [
        .target(
            name: "KingfisherMetrics",
            dependencies: [
                .product(name: "Kingfisher", package: "Kingfisher"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "KingfisherMetricsTests",
            dependencies: [
                "KingfisherMetrics", .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
