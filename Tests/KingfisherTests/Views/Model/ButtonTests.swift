import Foundation
import Kingfisher
import Testing

@Suite @MainActor struct ButtonTests {
    let button = Button()
    let renderer = RecordingRenderer()

    init() { button.renderer = renderer }

    @Test("The states are those of UIKit") func states() {
        #expect(ControlState.normal.rawValue == 0)
        let states: [ControlState] = [.highlighted, .disabled, .selected, .focused]
        #expect(states.map(\.rawValue) == [1, 2, 4, 8])
    }

    @Test("A state has one element for each flag") func stateElements() {
        #expect(button.state == .normal)
        button.isHighlighted = true
        #expect(button.state == .highlighted)
        button.isSelected = true
        button.isFocused = true
        button.isEnabled = false
        #expect(button.state == [.highlighted, .selected, .focused, .disabled])
    }

    /// Which image a button has, by the state that it was set for.
    enum Slot: Sendable { case normal, highlighted, selected, both, alternate }

    struct Row: Sendable {
        let set: [Slot]
        let state: ControlState
        let drawn: Slot?

        init(_ set: [Slot], _ state: ControlState, _ drawn: Slot?) {
            (self.set, self.state, self.drawn) = (set, state, drawn)
        }
    }

    @Test(
        "The image drawn is that of the exact state, then the alternate one, then the normal one",
        arguments: [
            Row([.normal, .highlighted], .highlighted, .highlighted),
            Row([.normal, .highlighted], .normal, .normal),
            Row([.normal, .highlighted], [.highlighted, .focused], .highlighted),
            Row([.normal, .highlighted], .selected, .normal),
            Row([.normal, .highlighted], [.highlighted, .selected], .normal),
            Row([.normal, .both], [.highlighted, .selected], .both),
            Row([.normal, .selected], .disabled, .normal),
            Row([.normal, .alternate], .normal, .normal),
            Row([.normal, .alternate], .focused, .normal),
            Row([.normal, .alternate], .highlighted, .alternate),
            Row([.normal, .alternate], .selected, .alternate),
            Row([.normal, .alternate, .highlighted], .highlighted, .highlighted),
            Row([.alternate], .normal, nil),
            Row([.highlighted], .normal, nil),
            Row([.normal], .disabled, .normal),
        ])
    func currentImage(row: Row) throws {
        var images: [Slot: Image] = [:]
        for slot in row.set {
            let image = try Image.blank()
            images[slot] = image
            switch slot {
            case .normal: button.setImage(image, for: .normal)
            case .highlighted: button.setImage(image, for: .highlighted)
            case .selected: button.setImage(image, for: .selected)
            case .both: button.setImage(image, for: [.highlighted, .selected])
            case .alternate: button.alternateImage = image
            }
        }
        button.isHighlighted = row.state.contains(.highlighted)
        button.isSelected = row.state.contains(.selected)
        button.isFocused = row.state.contains(.focused)
        button.isEnabled = !row.state.contains(.disabled)
        #expect(button.currentImage === row.drawn.flatMap { images[$0] })
    }

    @Test("A state without a background uses the normal one") func backgroundFallback() throws {
        let (normal, pressed) = (try Image.blank(), try Image.blank())
        button.setBackgroundImage(normal, for: .normal)
        button.setBackgroundImage(pressed, for: .highlighted)
        #expect(button.currentBackgroundImage === normal)
        button.isHighlighted = true
        #expect(button.currentBackgroundImage === pressed)
        button.isEnabled = false
        #expect(button.currentBackgroundImage === normal)
        #expect(button.backgroundImage(for: .selected) === normal)
        #expect(button.currentImage == nil && button.image(for: .normal) == nil)
    }

    @Test("The property image is the image of the normal state") func normalImage() throws {
        let image = try Image.blank()
        button.image = image
        #expect(button.image(for: .normal) === image && button.image(for: .disabled) === image)
        button.setImage(nil, for: .normal)
        #expect(button.image == nil)
    }

    @Test("A disabled button receives no clicks") func clicks() {
        var clicks = 0
        button.onClick = { clicks += 1 }
        button.sendActions()
        button.isEnabled = false
        button.sendActions()
        #expect(clicks == 1)
    }

    @Test("Each change is reported once with its extent") func changes() throws {
        button.setImage(try .blank(), for: .normal)
        button.setImage(try .blank(), for: .normal)
        button.setImage(try .blank(width: 9), for: .highlighted)
        #expect(renderer.takeChanges() == [.size, .content, .content])
        button.isHighlighted = true
        button.isHighlighted = true
        button.isFocused = true
        button.isEnabled = true
        button.isSelected = false
        #expect(renderer.takeChanges() == [.size, .content])
        button.title = "Open"
        button.title = "Open"
        button.alternateImage = nil
        #expect(renderer.takeChanges() == [.size, .accessibility])
    }
}
