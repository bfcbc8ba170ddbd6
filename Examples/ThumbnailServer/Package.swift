// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "kingfisher-thumbnail-server",
    dependencies: [
        .package(name: "Kingfisher", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "ThumbnailServer",
            dependencies: [
                .product(name: "Kingfisher", package: "Kingfisher"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "thumbnail-server", dependencies: ["ThumbnailServer"], swiftSettings: settings),
        .testTarget(
            name: "ThumbnailServerTests",
            dependencies: [
                "ThumbnailServer", .product(name: "KingfisherTestSupport", package: "Kingfisher"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
