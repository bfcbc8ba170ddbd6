// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "kingfisher-siege",
    dependencies: [.package(name: "Kingfisher", path: "..")],
    targets: [
        .target(
            name: "SiegeAttacks",
            dependencies: [.product(name: "KingfisherTestSupport", package: "Kingfisher")],
            swiftSettings: settings),
        .executableTarget(name: "siege", dependencies: ["SiegeAttacks"], swiftSettings: settings),
        .testTarget(name: "SiegeTests", dependencies: ["SiegeAttacks"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
