// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "kingfisher-thumbnail-server",
    dependencies: [
        // The trait has the client for Redis and Valkey.
        .package(name: "Kingfisher", path: "../..", traits: ["SharedCache"]),
        .package(name: "kingfisher-metrics", path: "../../Extensions/Metrics"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.7.1"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "ThumbnailServer",
            dependencies: [
                .product(name: "Kingfisher", package: "Kingfisher"),
                .product(name: "KingfisherService", package: "Kingfisher"),
                .product(name: "KingfisherSharedCache", package: "Kingfisher"),
                .product(name: "KingfisherMetrics", package: "kingfisher-metrics"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "thumbnail-server",
            dependencies: [
                "ThumbnailServer", .product(name: "KingfisherSharedCache", package: "Kingfisher"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ThumbnailServerTests",
            dependencies: [
                "ThumbnailServer", .product(name: "KingfisherTestSupport", package: "Kingfisher"),
                .product(name: "KingfisherService", package: "Kingfisher"),
                .product(name: "KingfisherSharedCache", package: "Kingfisher"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
