import Foundation
import KingfisherService

/// Signed URLs to try a server of development: images of its folder.
enum ExampleURLs {
    private static let steps = ["fit:640x640", "cover:300x300", "fit:400x0/bw"]
    private static let extensions: Set = ["jpg", "jpeg", "png", "webp", "gif", "avif", "heic", "tiff", "svg"]

    /// Up to three paths; empty without a folder with images.
    static func paths(_ settings: ServerSettings) -> [String] {
        guard settings.responses.isDevelopment, let folder = settings.folder,
            let urls = try? ServiceURLs(settings.urls),
            let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        else { return [] }
        let images = names.sorted().filter { name in
            extensions.contains(name.split(separator: ".").last?.lowercased() ?? "")
        }
        return zip(images, steps).compactMap { name, steps in
            let parts = try? steps.split(separator: "/").map { try ServiceRequest.Step(String($0)) }
            guard let parts else { return nil }
            return try? urls.signedPath(for: ServiceRequest(steps: parts, source: .local(path: name)))
        }
    }
}
