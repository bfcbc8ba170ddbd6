import Kingfisher

@testable import KingfisherCLI

extension OutputFormat {
    static let jpeg = OutputFormat(imageFormat: .JPEG)
    static let gif = OutputFormat(imageFormat: .GIF)
    static let webp = OutputFormat(imageFormat: ImageFormat(name: "WEBP"))
}
