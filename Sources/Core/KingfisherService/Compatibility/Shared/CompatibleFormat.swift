import KingfisherImage

/// Names of formats in URLs of imgproxy and thumbor.
enum CompatibleFormat {
    private static let writable: [Substring: ImageFormat] = [
        "jpg": .JPEG, "jpeg": .JPEG, "png": .PNG, "gif": .GIF, "webp": ImageFormat(name: "WEBP"),
        "avif": ImageFormat(name: "AVIF"), "jxl": ImageFormat(name: "JXL"),
    ]
    private static let others: Set<Substring> = [
        "best", "bmp", "heic", "heif", "ico", "jp2", "mp4", "pdf", "psd", "svg", "tif", "tiff",
    ]

    /// The format of a name; `option` is what an error names.
    static func format(_ name: Substring, of option: String) throws(ServiceError) -> ImageFormat {
        if let format = writable[name] { return format }
        guard !others.contains(name) else {
            throw .unsupported("\(option) \(name)", "the format cannot be written")
        }
        throw .invalid(option, expected: "jpg, png, gif, webp, avif or jxl")
    }
}
