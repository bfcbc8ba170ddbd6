import Foundation
import KingfisherImage
import KingfisherService

/// URLs of an image service, in its own grammar and in the grammars of imgproxy and thumbor, unsigned.
///
/// A path that is accepted has a canonical path, which is read as the same request and is stable.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let path = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    guard let urls else { preconditionFailure("the settings are refused") }
    let request: ServiceRequest
    do {
        request = try urls.request(path: path, now: 0)
    } catch {
        precondition((400...499).contains(error.status), "a path is not an error of the server")
        precondition(!error.message.utf8.contains { $0 < 0x20 }, "a message has more than one line")
        if let offset = error.offset { precondition((0...count * 3).contains(offset), "wrong offset") }
        return 0
    }
    let canonical = urls.path(for: request)
    let again: ServiceRequest
    do {
        again = try urls.request(path: urls.sign(path: canonical), now: 0)
    } catch {
        precondition(error.status == 414, "a canonical path is refused: \(canonical)")
        return 0
    }
    precondition(urls.path(for: again) == canonical, "a canonical path is not stable: \(canonical)")
    precondition(again.source == request.source && again.steps == request.steps, "another request")
    precondition(again.options == request.options, "other options")
    return 0
}

private let urls: ServiceURLs? = {
    var settings = ServiceSettings(signing: .off)
    settings.presets = ["card": "fit:300x300/quality:70", "small": "fit:64x64"]
    settings.watermarks = ["logo"]
    settings.fallbacks = ["grey"]
    settings.sources.base = "https://base.example/images/"
    settings.sources.allowsFolder = true
    settings.sources.buckets = ["photos"]
    settings.imgproxy = ImgproxySettings(keys: [])
    settings.imgproxy?.presets = ["default": "q:80", "sharp": "sh:0.7"]
    settings.imgproxy?.watermark = "logo"
    settings.thumbor = ThumborSettings(key: [7])
    settings.smartCrop = .center
    return try? ServiceURLs(settings)
}()
