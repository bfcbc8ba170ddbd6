// swift-tools-version: 6.2
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
        .package(name: "Kingfisher", path: "../..")
    ],
    targets: [
        .systemLibrary(name: "CAdwaita", pkgConfig: "libadwaita-1", providers: [.apt(["libadwaita-1-dev"])]),
        .executableTarget(
            name: "Gallery",
            dependencies: [
                "CAdwaita",
                .product(name: "KingfisherFormats", package: "Kingfisher"),
                .product(name: "KingfisherGTK", package: "Kingfisher"),
                .product(name: "KingfisherTestSupport", package: "Kingfisher"),
                .product(name: "KingfisherVideo", package: "Kingfisher"),
                // Not linked: built in the same folder, where frames of videos need it.
                .product(name: "kingfisher-decoder", package: "Kingfisher"),
                .product(name: "KingfisherWebP", package: "Kingfisher"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
