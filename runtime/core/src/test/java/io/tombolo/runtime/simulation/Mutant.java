// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.util.List;
import java.util.function.UnaryOperator;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * A fault that is put back into the code, in the simulation alone.
 *
 * @param what what users would see of it
 * @param type the class
 * @param method its method that is broken
 * @param call the method of which a call there is left out, or the field that is not read; if
 *     empty, the method itself is left out
 * @param gives what is had in its place, of type int, boolean or, of a field, long
 */
record Mutant(String what, String type, String method, String call, int gives)
    implements UnaryOperator<byte[]> {
  /** The one whose {@link #words} these are. */
  static Mutant of(List<String> words) {
    return new Mutant(
        words.get(0), words.get(1), words.get(2), words.get(3), Integer.parseInt(words.get(4)));
  }

  /** What another process makes it of. */
  List<String> words() {
    return List.of(what, type, method, call, Integer.toString(gives));
  }

  @Override
  public byte[] apply(byte[] original) {
    ClassReader reader = new ClassReader(original);
    if (!reader.getClassName().equals(type)) {
      return original;
    }
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    Breaking breaking = new Breaking(writer);
    reader.accept(breaking, 0);
    if (!breaking.broken) {
      throw new AssertionError("there is nothing to break: " + this);
    }
    return writer.toByteArray();
  }

  /** Copies the class but for what is broken. */
  private final class Breaking extends ClassVisitor {
    private boolean broken;

    Breaking(ClassVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      MethodVisitor code = super.visitMethod(access, name, descriptor, signature, exceptions);
      if (!name.equals(method)) {
        return code;
      }
      if (!call.isEmpty()) {
        return new Calls(code);
      }
      broken = true;
      empty(code, Type.getReturnType(descriptor));
      return new MethodVisitor(Opcodes.ASM9) {};
    }

    private void empty(MethodVisitor code, Type result) {
      code.visitCode();
      if (result.getSort() == Type.BOOLEAN || result.getSort() == Type.INT) {
        code.visitInsn(Opcodes.ICONST_0 + gives);
      } else if (result.getSort() != Type.VOID) {
        throw new AssertionError("what does " + Mutant.this + " give?");
      }
      code.visitInsn(result.getOpcode(Opcodes.IRETURN));
      code.visitMaxs(0, 0);
      code.visitEnd();
    }

    /** Leaves out calls of one method, or reads of an object's field. */
    private final class Calls extends MethodVisitor {
      Calls(MethodVisitor next) {
        super(Opcodes.ASM9, next);
      }

      @Override
      public void visitMethodInsn(
          int opcode, String owner, String name, String descriptor, boolean isInterface) {
        if (name.equals(call)) {
          broken = true;
          leaveOut(opcode == Opcodes.INVOKESTATIC, Type.getMethodType(descriptor));
        } else {
          super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        }
      }

      private void leaveOut(boolean isStatic, Type method) {
        Type[] arguments = method.getArgumentTypes();
        for (int i = arguments.length - 1; i >= 0; i--) {
          super.visitInsn(arguments[i].getSize() == 2 ? Opcodes.POP2 : Opcodes.POP);
        }
        if (!isStatic) {
          super.visitInsn(Opcodes.POP);
        }
        if (method.getReturnType().getSort() != Type.VOID) {
          super.visitInsn(Opcodes.ICONST_0 + gives);
        }
      }

      @Override
      public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
        if (opcode == Opcodes.GETFIELD && name.equals(call)) {
          broken = true;
          super.visitInsn(Opcodes.POP);
          boolean isLong = Type.getType(descriptor).getSort() == Type.LONG;
          super.visitInsn((isLong ? Opcodes.LCONST_0 : Opcodes.ICONST_0) + gives);
        } else {
          super.visitFieldInsn(opcode, owner, name, descriptor);
        }
      }
    }
  }

  @Override
  public String toString() {
    return what;
  }
}
