// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// A separate package, so that only programs that use swift-log fetch it.
let package = Package(
    name: "kingfisher-logging",
    products: [
        .library(name: "KingfisherLogging", targets: ["KingfisherLogging"])
    ],
    dependencies: [
        .package(name: "Kingfisher", path: "../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    ],
    targets: [
        .target(
            name: "KingfisherLogging",
            dependencies: [
                .product(name: "Kingfisher", package: "Kingfisher"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "KingfisherLoggingTests", dependencies: ["KingfisherLogging"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
