// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "kingfisher-siege",
    // The trait of the server, because both are in one build folder.
    dependencies: [.package(name: "Kingfisher", path: "..", traits: ["SharedCache"])],
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
