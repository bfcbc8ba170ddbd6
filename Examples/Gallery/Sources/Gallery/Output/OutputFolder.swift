import Kingfisher

struct OutputFolder {
    private let folder: URL
    /// The files written so far, in order.
    private(set) var files: [URL] = []

    init(_ folder: URL) throws {
        self.folder = folder.absoluteURL
        do {
            try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
        } catch {
            throw Failure("cannot create the folder \(self.folder.path): \(error.localizedDescription)")
        }
    }

    mutating func write(_ image: Image, as name: String) throws {
        guard let data = image.pngData() else { throw Failure("cannot encode \(name) as PNG") }
        let file = folder.appending(path: name + ".png")
        try data.write(to: file)
        files.append(file)
    }
}
