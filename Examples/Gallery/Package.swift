// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "kingfisher-gallery",
    products: [
        .executable(name: "gallery", targets: ["Gallery"])
    ],
    dependencies: [
        .package(name: "Kingfisher", path: "../.."),
        // The captions of the contact sheet are steps of the tool.
        .package(path: "../../CommandLine"),
    ],
    targets: [
        .systemLibrary(name: "CAdwaita", pkgConfig: "libadwaita-1", providers: [.apt(["libadwaita-1-dev"])]),
        .executableTarget(
            name: "Gallery",
            dependencies: [
                "CAdwaita",
                .product(name: "KingfisherGTK", package: "Kingfisher"),
                .product(name: "KingfisherTestSupport", package: "Kingfisher"),
                .product(name: "KingfisherWebP", package: "Kingfisher"),
                .product(name: "KingfisherSteps", package: "CommandLine"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
