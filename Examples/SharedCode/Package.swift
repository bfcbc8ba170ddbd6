// swift-tools-version: 6.2
import PackageDescription

// A package graph cannot contain two targets with the same name, so the manifest selects one package.
#if os(Linux)
    let kingfisher = Package.Dependency.package(name: "Kingfisher", path: "../..")
#else
    let kingfisher = Package.Dependency.package(
        url: "https://github.com/onevcat/Kingfisher.git", from: "8.0.0")
#endif

let package = Package(
    name: "SharedCode",
    platforms: [.iOS(.v15), .macOS(.v12)],
    products: [.library(name: "SharedCode", targets: ["SharedCode"])],
    dependencies: [kingfisher],
    targets: [
        .target(
            name: "SharedCode",
            dependencies: [.product(name: "Kingfisher", package: "Kingfisher")]),
        .testTarget(name: "SharedCodeTests", dependencies: ["SharedCode"]),
    ]
)
