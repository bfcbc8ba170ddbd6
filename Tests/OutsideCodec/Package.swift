// swift-tools-version: 6.2
// The sources of KingfisherWebP, KingfisherBMP and KingfisherPNM as a separate package: they compile here
// because they only use public API. `CatalogRow.swift` is for the catalogue of this package.
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "kingfisher-outside-codec",
    products: [.library(name: "OutsideCodecs", targets: ["OutsideWebP", "OutsideBMP", "OutsidePNM"])],
    dependencies: [.package(name: "Kingfisher", path: "../..")],
    targets: [
        .systemLibrary(name: "COutsideWebP", pkgConfig: "libwebp", providers: [.apt(["libwebp-dev"])]),
        .target(
            name: "OutsideWebP",
            dependencies: [
                "COutsideWebP",
                .product(name: "Kingfisher", package: "Kingfisher"),
                .product(name: "KingfisherCodecSupport", package: "Kingfisher"),
            ],
            exclude: ["KingfisherWebP.docc", "CatalogRow.swift"], swiftSettings: settings),
        .target(
            name: "OutsideBMP",
            dependencies: [.product(name: "KingfisherCodecSupport", package: "Kingfisher")],
            exclude: ["KingfisherBMP.docc", "CatalogRow.swift"], swiftSettings: settings),
        .target(
            name: "OutsidePNM",
            dependencies: [.product(name: "KingfisherCodecSupport", package: "Kingfisher")],
            exclude: ["KingfisherPNM.docc", "CatalogRow.swift"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
