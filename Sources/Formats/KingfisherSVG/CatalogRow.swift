package import Foundation
import KingfisherCodecSupport

extension SVGCodec: CatalogCodec {
    /// Uses what librsvg loads at first use: embedded PNG and JPEG, filters, and the usual fonts.
    package var sample: Data {
        let (png, jpeg) = (PNGCodec().sample, JPEGCodec().sample)
        return Data(
            """
            <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
                width="32" height="32">
            <image width="4" height="4" xlink:href="data:image/png;base64,\(png.base64EncodedString())"/>
            <image width="4" height="4" xlink:href="data:image/jpeg;base64,\(jpeg.base64EncodedString())"/>
            <filter id="f"><feTurbulence baseFrequency="0.1"/><feGaussianBlur stdDeviation="2"/></filter>
            <rect width="32" height="32" filter="url(#f)"/>
            <text y="10" font-family="serif">a</text>
            <text y="20" font-family="sans-serif">a<tspan font-weight="bold">b</tspan></text>
            <text y="30" font-family="monospace" font-style="italic">a</text>
            </svg>
            """.utf8)
    }

    package var isTrusted: Bool { false }

    package var opensFonts: Bool { true }
}
