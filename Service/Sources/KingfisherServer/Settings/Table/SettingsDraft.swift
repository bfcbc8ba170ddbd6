import Kingfisher
import KingfisherService

/// Settings while they are read: those of the server, and what several settings decide together.
struct SettingsDraft {
    var settings = ServerSettings(urls: ServiceSettings(signing: .keys([])))
    var signs = true
    var signingKeys: [SigningKey] = []
    var isDevelopment = false
    var imgproxy = ImgproxySettings(keys: [])
    var thumbor = ThumborSettings(key: [])
    var s3 = Buckets()
    /// What is accepted, but deserves a warning, about the setting that is being read.
    var warnings: [String] = []

    struct Buckets {
        var region = "us-east-1"
        var endpoint: String?
        var usesPathStyle = false
        var credentials: S3Credentials?
        var allowedAddresses: [IPNetwork] = []
    }
}
