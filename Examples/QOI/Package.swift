// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "kingfisher-qoi",
    products: [
        .library(name: "QOI", targets: ["QOI"])
    ],
    dependencies: [
        .package(name: "Kingfisher", path: "../..")
    ],
    targets: [
        .target(
            name: "QOI",
            dependencies: [.product(name: "Kingfisher", package: "Kingfisher")],
            swiftSettings: settings),
        .testTarget(
            name: "QOITests",
            dependencies: ["QOI", .product(name: "KingfisherTestSupport", package: "Kingfisher")],
            exclude: ["make-golden.py"],
            resources: [.copy("Golden")],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
