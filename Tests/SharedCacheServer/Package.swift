// swift-tools-version: 6.2
// Tests of KingfisherSharedCache against real and scripted servers. A separate package, because they need the
// trait SharedCache, which the root package's own tests do without.
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "kingfisher-shared-cache-server",
    dependencies: [
        .package(name: "Kingfisher", path: "../..", traits: ["SharedCache"])
    ],
    targets: [
        // Our part of two rows of `make bench`.
        .executableTarget(
            name: "shared-rows",
            dependencies: [
                .product(name: "Kingfisher", package: "Kingfisher"),
                .product(name: "KingfisherSharedCache", package: "Kingfisher"),
            ],
            path: "Sources/SharedRows", swiftSettings: settings),
        .testTarget(
            name: "SharedCacheServerTests",
            dependencies: [
                .product(name: "Kingfisher", package: "Kingfisher"),
                .product(name: "KingfisherSharedCache", package: "Kingfisher"),
                .product(name: "KingfisherTestSupport", package: "Kingfisher"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
