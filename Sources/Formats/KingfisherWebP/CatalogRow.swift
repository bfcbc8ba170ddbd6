import Foundation
import KingfisherCodecSupport

extension WebPCodec: CatalogCodec {
    /// Made with Pillow 13 from a gradient.
    package var sample: Data {
        Data(
            base64Sample: """
                UklGRkgAAABXRUJQVlA4IDwAAAAQAgCdASoEAAQAAsBMJYgCdEyAAdWtw2wAAP7CU7ECVrvsjWx9HYxYkJftMm/X/U8aPObm
                s+iL8/ogAAA=
                """)
    }
}
