package import Foundation
import KingfisherCodecSupport

extension PNMCodec: CatalogCodec {
    /// Made with Pillow 13 from a gradient.
    package var sample: Data {
        Data(
            base64Sample: """
                UDYKNCA0CjI1NQoAAIA8AIB4AIC0AIAAPIA8PIB4PIC0PIAAeIA8eIB4eIC0eIAAtIA8tIB4tIC0tIA=
                """)
    }
}
