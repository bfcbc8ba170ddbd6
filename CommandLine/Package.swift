// swift-tools-version: 6.2
import PackageDescription

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
                .product(name: "KingfisherFormats", package: "Kingfisher"),
                .product(name: "KingfisherIsolation", package: "Kingfisher"),
                .product(name: "KingfisherVideo", package: "Kingfisher"),
                // Not linked: built in the same folder, where the tool finds it.
                .product(name: "kingfisher-decoder", package: "Kingfisher"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "KingfisherCLITests",
            dependencies: [
                "KingfisherCLI",
                .product(name: "KingfisherTestSupport", package: "Kingfisher"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
