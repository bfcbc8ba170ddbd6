// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "kingfisher-first-window",
    dependencies: [
        .package(name: "Kingfisher", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "FirstWindow",
            dependencies: [.product(name: "KingfisherGTK", package: "Kingfisher")])
    ]
)
