import Foundation
import Glibc
import Kingfisher
import Synchronization

/// The pixels of a contact sheet, into which cells are drawn, from any thread and in any order.
final class ContactSheet: Sendable {
    let layout: SheetLayout
    private let background: Color
    private let ink: Color
    private let options = KingfisherParsedOptionsInfo(nil)
    /// 8-bit premultiplied RGBA without space between rows; nil after the image was made of them.
    private let rows: Mutex<UnsafeMutableRawBufferPointer?>

    /// Throws `outOfMemory`.
    init(_ layout: SheetLayout, background: Color) throws {
        (self.layout, self.background) = (layout, background)
        let luminance = 0.2126 * background.red + 0.7152 * background.green + 0.0722 * background.blue
        let isDark = background.alpha >= 0.5 && luminance < 0.5
        ink = isDark ? Color(white: 0.9) : Color(white: 0.15)
        let row = try Self.canvas(PixelSize(width: layout.size.width, height: 1), background)
        let (stride, height) = (layout.size.width * 4, layout.size.height)
        guard let start = malloc(stride * height) else { throw ImageCodecError.outOfMemory }
        row.withUnsafeBytes { bytes in
            for y in 0..<height { Self.copy(bytes.prefix(stride), to: start + y * stride) }
        }
        rows = Mutex(UnsafeMutableRawBufferPointer(start: start, count: stride * height))
    }

    deinit { rows.withLock { free($0?.baseAddress) } }

    /// Draws an image in the middle of its cell; nil draws the sign of an image that is missing.
    func draw(_ image: Image?, _ name: String, at index: Int) throws {
        let origin = layout.origin(of: index)
        let middle = CGPoint(x: 0.5, y: 0.5)
        let shade = image == nil ? background.mixed(with: ink, 0.12) : background
        let canvas = Image(pixels: try Self.canvas(layout.cell, shade))
        if let image {
            copy(canvas.kf.watermarked(with: image, anchorOn: middle), to: origin)
        } else {
            let cross = TextImageProcessor(
                "\u{D7}", anchor: middle, size: .heightFraction(0.5), color: background.mixed(with: ink, 0.5))
            copy(cross.process(item: .image(canvas), options: options) ?? canvas, to: origin)
        }
        guard layout.hasNames else { return }
        let strip = PixelSize(width: layout.cell.width, height: layout.nameHeight)
        // Letters are half as wide as high on average; a longer name gets smaller ones.
        let limit = Int(1.8 * Double(strip.width) / layout.font)
        let writer = TextImageProcessor(
            CellName.shortened(name, to: limit), anchor: middle, size: .point(layout.font), color: ink)
        let blank = Image(pixels: try Self.canvas(strip, background))
        let place = (origin.x, origin.y + layout.cell.height)
        copy(writer.process(item: .image(blank), options: options) ?? blank, to: place)
    }

    /// The sheet as an image, into which nothing can be drawn any more.
    func image() throws -> Image {
        guard let start = rows.withLock({ $0.take() })?.baseAddress else { throw ImageCodecError.emptyImage }
        let isOpaque = (background.alpha * 255).rounded() == 255
        return Image(
            pixels: try PixelBuffer(
                adopting: start, width: layout.size.width, height: layout.size.height,
                bytesPerRow: layout.size.width * 4, format: isOpaque ? .rgba8Opaque : .rgba8Premultiplied
            ) { free($0) })
    }

    private func copy(_ image: Image, to origin: (x: Int, y: Int)) {
        guard let pixels = try? image.pixels?.converted(to: .rgba8Premultiplied) else { return }
        let width = layout.size.width
        rows.withLock { rows in
            guard let start = rows?.baseAddress else { return }
            pixels.withUnsafeBytes { source in
                for y in 0..<pixels.height {
                    let row = source.dropFirst(y * pixels.bytesPerRow).prefix(pixels.width * 4)
                    Self.copy(row, to: start + ((origin.y + y) * width + origin.x) * 4)
                }
            }
        }
    }

    private static func copy(_ row: Slice<UnsafeRawBufferPointer>, to start: UnsafeMutableRawPointer) {
        UnsafeMutableRawBufferPointer(start: start, count: row.count).copyBytes(from: row)
    }

    private static func canvas(_ size: PixelSize, _ color: Color) throws -> PixelBuffer {
        let opacity = color.alpha * 255
        let pixel = [color.red * opacity, color.green * opacity, color.blue * opacity, opacity]
            .map { UInt8($0.rounded()) }
        return try PixelBuffer(width: size.width, height: size.height, format: .rgba8Premultiplied) {
            rows, _ in
            for offset in rows.indices { rows[offset] = pixel[offset % 4] }
        }
    }
}

extension Color {
    /// The colour with a part of another, and its own opacity.
    fileprivate func mixed(with other: Color, _ part: CGFloat) -> Color {
        Color(
            red: red + (other.red - red) * part, green: green + (other.green - green) * part,
            blue: blue + (other.blue - blue) * part, alpha: max(alpha, part))
    }
}
