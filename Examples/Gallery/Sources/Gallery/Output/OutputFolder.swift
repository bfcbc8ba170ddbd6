import Kingfisher

/// Where the images of the show go.
struct OutputFolder {
    private let folder: URL
    /// What has been written so far, in order.
    private(set) var files: [URL] = []

    init(_ folder: URL) throws {
        self.folder = folder.absoluteURL
        do {
            try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
        } catch {
            throw Failure("cannot create \(self.folder.path): \(error.localizedDescription)")
        }
    }

    /// Writes `image` as `NAME.png`.
    mutating func write(_ image: Image, as name: String) throws {
        guard let data = image.pngData() else { throw Failure("\(name) cannot be written as PNG") }
        let file = folder.appending(path: name + ".png")
        try data.write(to: file)
        files.append(file)
    }
}
