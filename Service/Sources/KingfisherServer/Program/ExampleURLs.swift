import Foundation
import KingfisherService

/// URLs to try a server of development: its page, and images of its folder.
enum ExampleURLs {
    private static let steps = ["fit:640x640", "cover:300x300", "fit:400x0/bw"]
    private static let extensions: Set = ["jpg", "jpeg", "png", "webp", "gif", "avif", "heic", "tiff", "svg"]

    /// The names of images in the folder; empty without a folder.
    static func images(_ settings: ServerSettings) -> [String] {
        let names = settings.folder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0.path) }
        return (names ?? []).sorted().filter { name in
            extensions.contains(name.split(separator: ".").last?.lowercased() ?? "")
        }
    }

    /// The path of the page, and up to three signed ones, of images in the folder.
    static func paths(_ settings: ServerSettings) -> [String] {
        guard settings.responses.isDevelopment, let urls = try? ServiceURLs(settings.urls) else { return [] }
        let signed: [String] = zip(images(settings), steps).compactMap { name, steps in
            let parts = try? steps.split(separator: "/").map { try ServiceRequest.Step(String($0)) }
            guard let parts else { return nil }
            return try? urls.signedPath(for: ServiceRequest(steps: parts, source: .local(path: name)))
        }
        return ["/"] + signed
    }
}
