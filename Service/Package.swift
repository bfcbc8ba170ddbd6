// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "kingfisher-server",
    products: [
        .library(name: "KingfisherServer", targets: ["KingfisherServer"]),
        .executable(name: "kingfisher-server", targets: ["kingfisher-server"]),
    ],
    traits: [
        .trait(name: "SharedCache", description: "A cache on Redis or Valkey that several servers share."),
        .default(enabledTraits: ["SharedCache"]),
    ],
    dependencies: [
        .package(
            name: "Kingfisher", path: "..",
            traits: [.trait(name: "SharedCache", condition: .when(traits: ["SharedCache"]))]),
        .package(name: "kingfisher-metrics", path: "../Extensions/Metrics"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.7.1"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "KingfisherServer",
            dependencies: [
                .product(name: "Kingfisher", package: "Kingfisher"),
                .product(name: "KingfisherFormats", package: "Kingfisher"),
                .product(name: "KingfisherIsolation", package: "Kingfisher"),
                .product(name: "KingfisherService", package: "Kingfisher"),
                .product(name: "KingfisherSharedCache", package: "Kingfisher"),
                .product(name: "KingfisherMetrics", package: "kingfisher-metrics"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOExtras", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            resources: [.embedInCode("Development/page.html")],
            swiftSettings: settings),
        .executableTarget(
            name: "kingfisher-server",
            // The program starts the decoder that is beside it.
            dependencies: ["KingfisherServer", .product(name: "kingfisher-decoder", package: "Kingfisher")],
            swiftSettings: settings),
        .testTarget(
            name: "KingfisherServerTests",
            dependencies: [
                "KingfisherServer", .product(name: "KingfisherTestSupport", package: "Kingfisher"),
                .product(name: "Kingfisher", package: "Kingfisher"),
                .product(name: "KingfisherIsolation", package: "Kingfisher"),
                .product(name: "KingfisherService", package: "Kingfisher"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
