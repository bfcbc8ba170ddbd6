// swift-tools-version: 6.2
import PackageDescription

let kingfisher = Target.Dependency.product(name: "KingfisherGTK", package: "Kingfisher")

let package = Package(
    name: "kingfisher-photo-browser",
    products: [
        .executable(name: "photo-browser", targets: ["photo-browser"])
    ],
    dependencies: [
        .package(name: "Kingfisher", path: "../..")
    ],
    targets: [
        .target(name: "PhotoBrowser", dependencies: [kingfisher]),
        .executableTarget(
            name: "photo-browser",
            dependencies: [
                "PhotoBrowser", kingfisher, .product(name: "KingfisherFormats", package: "Kingfisher"),
            ]),
        // Measure the grid, and walk through all pages; see `check`.
        .executableTarget(
            name: "FlingCheck",
            dependencies: [
                "PhotoBrowser", kingfisher, .product(name: "KingfisherTestSupport", package: "Kingfisher"),
            ],
            path: "Tests/FlingCheck"),
        .executableTarget(
            name: "PhotoWalk",
            dependencies: [
                "PhotoBrowser", kingfisher, .product(name: "KingfisherFormats", package: "Kingfisher"),
                .product(name: "KingfisherTestSupport", package: "Kingfisher"),
            ],
            path: "Tests/PhotoWalk"),
    ],
    swiftLanguageModes: [.v6]
)
