public import Foundation

extension Image {
    /// Decodes a file's bytes; nil if they cannot be decoded. An animation gives its first frame.
    public convenience init?(data: Data) {
        self.init(data: data, scale: 1)
    }

    /// Decodes a file's bytes at `scale` pixels per point; nil if they cannot be decoded.
    public convenience init?(data: Data, scale: CGFloat) {
        guard let file = try? ImageCodecs.open(data),
            let image = try? Image.firstFrame(of: file, ImageCreatingOptions(scale: scale))
        else { return nil }
        self.init(image.representation, scale: scale, state: image.withState { $0 })
    }

    /// Reads and decodes a file on the caller's thread; nil if it cannot be read or decoded.
    ///
    /// A name that ends in `@2x` or `@3x` before its extension sets that scale.
    public convenience init?(contentsOfFile path: String) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        self.init(data: data, scale: Self.scale(ofFile: path))
    }

    /// Reads an image from the folder of the program's executable, with or without the extension.
    ///
    /// The result is not cached.
    public convenience init?(named name: String) {
        self.init(named: name, in: Bundle.main.bundleURL)
    }

    /// Reads an image from the resources of `bundle`, such as `Bundle.module`, with or without the extension;
    /// nil means the main bundle.
    ///
    /// The result is not cached.
    public convenience init?(named name: String, in bundle: Bundle?) {
        let bundle = bundle ?? .main
        self.init(named: name, in: [bundle.resourceURL, bundle.bundleURL].compactMap { $0 })
    }

    package convenience init?(named name: String, in folder: URL) {
        self.init(named: name, in: [folder])
    }

    private convenience init?(named name: String, in folders: [URL]) {
        guard let file = ImageResourceFile.find(name, in: folders) else { return nil }
        self.init(contentsOfFile: file.path)
    }

    private static func scale(ofFile path: String) -> CGFloat {
        let stem = ((path as NSString).lastPathComponent as NSString).deletingPathExtension
        if stem.hasSuffix("@2x") { return 2 }
        return stem.hasSuffix("@3x") ? 3 : 1
    }
}

extension Image {
    /// Makes an animation that shows `images` in sequence within `duration` seconds; nil without images.
    ///
    /// A duration of 0 means a thirtieth of a second per image. The animation takes the scale of the first
    /// image.
    public static func animatedImage(with images: [Image], duration: TimeInterval) -> Image? {
        guard let first = images.first else { return nil }
        let duration = duration > 0 ? duration : Double(images.count) / 30
        return Image(.frames(images, .even(total: duration)), scale: first.scale)
    }
}
