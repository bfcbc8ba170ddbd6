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
        .package(name: "Kingfisher", path: "../..", traits: ["SharedCache"]),
        .package(name: "kingfisher-server", path: "../../Service"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "thumbnail-server",
            dependencies: [
                .product(name: "KingfisherServer", package: "kingfisher-server"),
                .product(name: "KingfisherService", package: "Kingfisher"),
                // Not linked: the server starts the program that is beside it.
                .product(name: "kingfisher-decoder", package: "Kingfisher"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        // The handler that the page of KingfisherService shows, for programs without KingfisherServer.
        .target(
            name: "SignedImages",
            dependencies: [
                .product(name: "Kingfisher", package: "Kingfisher"),
                .product(name: "KingfisherService", package: "Kingfisher"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SignedImagesTests",
            dependencies: [
                "SignedImages", .product(name: "KingfisherTestSupport", package: "Kingfisher"),
                .product(name: "Kingfisher", package: "Kingfisher"),
                .product(name: "KingfisherService", package: "Kingfisher"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
