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
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    ],
    targets: [
        .target(
            name: "ThumbnailServer",
            dependencies: [
                .product(name: "Kingfisher", package: "Kingfisher"),
                .product(name: "FlyingFox", package: "FlyingFox"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "thumbnail-server",
            dependencies: ["ThumbnailServer", .product(name: "FlyingSocks", package: "FlyingFox")],
            swiftSettings: settings),
        .testTarget(
            name: "ThumbnailServerTests",
            dependencies: [
                "ThumbnailServer", .product(name: "KingfisherTestSupport", package: "Kingfisher"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
