// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// The formats that are products of their own. As in the library's manifest, `KINGFISHER_WITHOUT=WebP,AVIF`
/// builds a tool without these.
let without = Set(
    (ProcessInfo.processInfo.environment["KINGFISHER_WITHOUT"] ?? "").uppercased().split(separator: ",").map(
        String.init))
let formats = ["WebP", "AVIF", "BMP", "HEIC", "JPEGXL", "PNM", "SVG", "TIFF"].filter {
    !without.contains($0.uppercased())
}

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "kingfisher-command-line",
    products: [
        .executable(name: "kingfisher", targets: ["KingfisherCLI"])
    ],
    dependencies: [
        .package(name: "Kingfisher", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .executableTarget(
            name: "KingfisherCLI",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Kingfisher", package: "Kingfisher"),
                .product(name: "KingfisherSteps", package: "Kingfisher"),
                .product(name: "KingfisherIsolation", package: "Kingfisher"),
                // Not linked: built in the same folder, where the tool finds it.
                .product(name: "kingfisher-decoder", package: "Kingfisher"),
            ] + formats.map { .product(name: "Kingfisher\($0)", package: "Kingfisher") },
            // `canImport` would find the module of an earlier build.
            swiftSettings: settings + formats.map { .define("WITH_\($0.uppercased())") }),
        .testTarget(
            name: "KingfisherCLITests",
            dependencies: [
                "KingfisherCLI",
                .product(name: "KingfisherSteps", package: "Kingfisher"),
                .product(name: "KingfisherTestSupport", package: "Kingfisher"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
